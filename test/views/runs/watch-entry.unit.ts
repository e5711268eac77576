import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { RUN_STATUSES } from "../../../src/model/state/run-status.ts";
import { watchEntry } from "../../../src/views/runs/watch-entry.ts";
import { blockedBy, given, IN_STATE } from "../../decide/states.ts";

const entry = (...events: RunEvent[]) => {
  const state = given(...events);
  return watchEntry(state, null, state.at);
};

test("O2 every state of a run has its group: what needs a person is never among what works", () => {
  const groups = Object.fromEntries(RUN_STATUSES.map((status) => [status, entry(...IN_STATE[status]).group]));
  assert.deepEqual(groups, {
    queued: "waiting",
    running: "working",
    pausing: "working",
    paused: "needs_you",
    awaiting_approval: "needs_you",
    blocked: "needs_you",
    completed: "done",
    failed: "done",
    cancelled: "done",
  });
});

test("O2 what needs a person comes with the command that settles it, and nothing else does", () => {
  for (const status of RUN_STATUSES) {
    const { group, command } = entry(...IN_STATE[status]);
    assert.equal(command !== null, group === "needs_you", status);
  }
  const { what, command } = entry(...IN_STATE.running, blockedBy({ detail: "which port?" }));
  assert.match(what, /needs_human: which port\?/);
  assert.match(command ?? "", /^holdfast unblock/);
});

test("O2 a run that only its agents call done is completed, unverified", () => {
  assert.equal(entry(...IN_STATE.completed).what, "completed, unverified");
  assert.equal(entry(...IN_STATE.failed).what, "failed");
});

test("O2 L5 a run that waits for a time of its own says until when", () => {
  const scheduled: RunEvent = {
    type: "StepRetryScheduled",
    data: { step: "work", notBefore: 90_000, limit: "weekly limit reached" },
  };
  const { group, what, until } = entry(...IN_STATE.running, scheduled);
  assert.deepEqual([group, what, until], ["waiting", "weekly limit reached", "1970-01-01T00:01:30.000Z"]);
});

test("O2 R7 G2 a run that goes on by itself waits; one that a shutdown put to rest waits for a supervisor", () => {
  const stale = entry(...IN_STATE.running, { type: "RunPaused", data: { stop: "stale" } });
  assert.equal(stale.group, "waiting");
  assert.notEqual(stale.until, null);
  const down = entry(...IN_STATE.running, { type: "RunPaused", data: { stop: "shutdown" } });
  assert.deepEqual([down.group, down.what], ["waiting", "for the next supervisor"]);
});
