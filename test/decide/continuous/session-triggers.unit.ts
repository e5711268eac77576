import assert from "node:assert/strict";
import { test } from "node:test";
import { isCron, nextCron } from "../../../src/model/text/cron.ts";
import { isoTime } from "../../../src/model/text/iso-time.ts";
import { continuousDueAt } from "../../../src/decide/continuous/continuous-due.ts";
import { NOW, PlayedSession } from "./played-session.ts";

const HOUR = 3_600_000;

test("G14 a goal with an interval comes at once and then again, each time under an id of its own; what was missed comes once", () => {
  const session = new PlayedSession([{ id: "mail", everyMs: HOUR }]);
  assert.deepEqual(session.issued, ["s.mail.20261117T120000.1"]);
  session.turn(HOUR);
  assert.equal(session.issued.length, 1, "the one before is at work");
  session.done("s.mail.20261117T120000.1");
  assert.deepEqual(session.issued.slice(1), ["s.mail.20261117T130000.1"]);
  session.done("s.mail.20261117T130000.1");
  assert.equal(session.state.end, null, "it comes again");
  assert.equal(continuousDueAt(session.state, session.now), NOW + 2 * HOUR);
  session.turn(5 * HOUR);
  assert.deepEqual(session.issued.slice(2), ["s.mail.20261117T180000.1"]);
});

test("G14 a stop outranks every schedule: nothing is triggered until it is resumed", () => {
  const session = new PlayedSession([{ id: "mail", everyMs: HOUR }]);
  session.done("s.mail.20261117T120000.1");
  session.ask({ kind: "stop" });
  assert.deepEqual(session.turn(10 * HOUR), []);
  assert.equal(continuousDueAt(session.state, session.now), Infinity);
  session.ask({ kind: "resume" });
  session.turn();
  assert.deepEqual(session.issued.slice(1), ["s.mail.20261117T220000.1"]);
});

test("G14 a goal with cron fields comes at the minutes that they name, in UTC", () => {
  const session = new PlayedSession([{ id: "report", cron: "30 9 * * 1-5" }]);
  assert.deepEqual(session.issued, []);
  assert.equal(isoTime(continuousDueAt(session.state, session.now)), "2026-11-18T09:30:00.000Z");
  session.turn(24 * HOUR);
  assert.deepEqual(session.issued, ["s.report.20261118T093000.1"]);
});

test("G14 cron fields hold numbers, ranges, lists and steps, and anything else is refused", () => {
  const next = (text: string, after = NOW): string | null => {
    const at = nextCron(text, after);
    return at === null ? null : isoTime(at).slice(0, 16);
  };
  assert.equal(next("*/15 * * * *"), "2026-11-17T12:15");
  assert.equal(next("0 0 1 1 *"), "2027-01-01T00:00");
  assert.equal(next("5,10 13-14 * * *"), "2026-11-17T13:05");
  assert.equal(next("0 12 * * 7"), "2026-11-22T12:00");
  assert.equal(next("0 0 13 * 5"), "2026-11-20T00:00", "either day suffices");
  assert.equal(next("0 0 29 2 *"), "2028-02-29T00:00");
  assert.equal(next("0 0 31 2 *"), null);
  for (const text of ["", "* * * *", "60 * * * *", "* * 0 * *", "5-1 * * * *", "*/0 * * * *", "a * * * *"])
    assert.equal(isCron(text), false, text);
});
