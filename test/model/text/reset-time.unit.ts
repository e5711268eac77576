import assert from "node:assert/strict";
import { test } from "node:test";
import { resetTime } from "../../../src/model/text/reset-time.ts";

const NOW = Date.parse("2026-07-01T12:00:00Z");
const at = (text: string, zone = "UTC"): string | null => {
  const { resetsAt } = resetTime(text, NOW, zone);
  return resetsAt === undefined ? null : new Date(resetsAt).toISOString().slice(0, 16);
};
const after = (text: string): number | undefined => resetTime(text, NOW, "UTC").retryAfterMs;

test("L4 a clock time with a zone is the next such time there", () => {
  assert.equal(at("resets 8:30pm (Asia/Tokyo)"), "2026-07-02T11:30");
  assert.equal(at("Your limit will reset at 3pm (America/Bogota)."), "2026-07-01T20:00");
  assert.equal(at("Access resets at 2:00 PM PST."), "2026-07-01T21:00");
  assert.equal(at("resets at 9am"), "2026-07-02T09:00");
  assert.equal(at("resets 21:13"), "2026-07-01T21:13");
  assert.equal(at("resets at 7pm", "Europe/Berlin"), "2026-07-01T17:00");
  assert.equal(at("resets 1pm (Not/AZone)", "UTC"), "2026-07-01T13:00");
});

test("L4 a clock that is set forward or back is reckoned with", () => {
  const spring = Date.parse("2026-03-28T22:00:00Z");
  const { resetsAt } = resetTime("resets 5am (Europe/Berlin)", spring, "UTC");
  assert.equal(new Date(resetsAt ?? 0).toISOString(), "2026-03-29T03:00:00.000Z");
});

test("L4 a date is that date, this year's or the next one's", () => {
  assert.equal(at("resets Jul 16 at 1am (Asia/Shanghai)"), "2026-07-15T17:00");
  assert.equal(at("resets Oct 31, 9am"), "2026-10-31T09:00");
  assert.equal(at("try again at Jul 5th, 2026 8:19 PM."), "2026-07-05T20:19");
  assert.equal(at("resets 21:13 on 2 Mar"), "2026-03-02T21:13");
  assert.equal(at("resets Jan 2 at 1am"), "2027-01-02T01:00");
  assert.equal(at("resets Monday at 9am"), "2026-07-06T09:00");
  assert.equal(at("resets at midnight UTC"), "2026-07-02T00:00");
});

test("L4 an instant is taken as it is: epoch seconds, epoch milliseconds, ISO", () => {
  assert.equal(at("limit reached|1782907200"), "2026-07-01T12:00");
  assert.equal(at("limit reached|1782907200000"), "2026-07-01T12:00");
  assert.equal(at('"resets_at": 1782907200'), "2026-07-01T12:00");
  assert.equal(at("x-reset-at: 2026-07-01T14:30:00Z"), "2026-07-01T14:30");
  assert.equal(at("resets at 2026-07-01T14:30:00+02:00"), "2026-07-01T12:30");
});

test("L4 a span is counted from now, in any of its spellings", () => {
  assert.equal(after("try again in 2 days 17 hours 14 minutes."), 234_840_000);
  assert.equal(after("Please try again in 34.337s."), 34_337);
  assert.equal(after("retrying in 59m 37s attempt #1"), 3_577_000);
  assert.equal(after("Your quota will reset after 2h3m10s."), 7_390_000);
  assert.equal(after("wait 6 seconds for your limit to reset"), 6_000);
  assert.equal(after("retry-after: 30"), 30_000);
  assert.equal(after("retry-after-ms: 1500"), 1_500);
  assert.equal(after('"retryDelay": "44.09s"'), 44_090);
  assert.equal(after("Try again in 1 hour and 5 minutes"), 3_900_000);
});

test("L4 text that names no time gives none", () => {
  assert.deepEqual(resetTime("please try again later", NOW, "UTC"), {});
  assert.deepEqual(resetTime("wait for limits to reset (every 5h and every week.).", NOW, "UTC"), {});
  assert.deepEqual(resetTime("", NOW, "UTC"), {});
});
