import assert from "node:assert/strict";
import { test } from "node:test";
import { pendingDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { given, IN_STATE } from "../states.ts";

test("B5 the next deadline of a run is named: an alarm, a silent provider, the next attempt; overdue ones too", () => {
  const alarm: RunEvent = {
    type: "AlarmSet",
    data: { alarm: { id: "run_1.a1", dueAt: 9_000, note: "look", by: "ada", wakes: true } },
  };
  const paused = given(...IN_STATE.paused, alarm);
  assert.deepEqual(pendingDeadline(paused, 1_000), { at: 9_000, what: "an alarm" });
  assert.deepEqual(pendingDeadline(paused, 20_000), { at: 9_000, what: "an alarm" }, "nobody has rung it");
  const stale = given(...IN_STATE.running, { type: "RunPaused", data: { stop: "stale" } });
  assert.equal(pendingDeadline(stale, stale.at)?.what, "the resume after a silent provider");
  const down = given(...IN_STATE.running, { type: "RunPaused", data: { stop: "shutdown" } });
  assert.match(pendingDeadline(down, down.at)?.what ?? "", /its next turn/);
  assert.equal(pendingDeadline(given(...IN_STATE.blocked), 1_000), null);
});
