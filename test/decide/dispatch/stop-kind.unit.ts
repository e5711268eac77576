import assert from "node:assert/strict";
import { test } from "node:test";
import { stopOf } from "../../../src/decide/dispatch/stop-kind.ts";
import { BLOCKED_REASONS } from "../../../src/model/requests/blocked.ts";
import { STOP_KINDS } from "../../../src/model/state/run-status.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { blockedBy, given, IN_STATE } from "../states.ts";

const stoppedBy = (reason: (typeof BLOCKED_REASONS)[number]) =>
  statusView(given(...IN_STATE.running, blockedBy({ reason })), null).stop;

test("G2 a run that a rule, a budget, a time limit or damage has stopped says which kind of stop it is", () => {
  assert.deepEqual(
    (["policy_escalation", "protected_files", "hook_block", "budget_exhausted", "timeout"] as const).map(
      stoppedBy,
    ),
    ["guardrail", "guardrail", "guardrail", "budget", "timeout"],
  );
  assert.equal(stoppedBy("operator_escalation"), "operator");
  assert.equal(stoppedBy("journal_damaged"), "panic");
  assert.equal(stoppedBy("approval_completion"), null, "what was meant to be asked stops nothing");
});

test("G2 a block that is left leaves its kind of stop behind, and a pause has its own", () => {
  const blocked = [...IN_STATE.running, blockedBy({ reason: "budget_exhausted" })];
  assert.equal(stopOf(given(...blocked, { type: "RunUnblocked", data: {} })), null);
  assert.equal(
    stopOf(given(...blocked, { type: "RunStopping", data: { to: "cancelled", stop: "operator" } })),
    "operator",
  );
});

test("G2 every kind of stop that blocks do not produce is one that a pause or an end carries", () => {
  const fromBlocks = new Set(BLOCKED_REASONS.map(stoppedBy));
  assert.deepEqual(
    STOP_KINDS.filter((kind) => !fromBlocks.has(kind)),
    ["shutdown", "supervisor_restart", "stale"],
  );
});
