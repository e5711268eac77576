import assert from "node:assert/strict";
import { test } from "node:test";
import { decideRequests } from "../../../src/decide/decide.ts";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import { recoveryArguments } from "../../../src/decide/recovery/recovery.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";
import { blockedBy } from "../states.ts";

const settings = runSettingsSchema.parse({
  notify: { channels: { ops: { use: "command", command: ["true"] } } },
  checks: { baseline: false },
});

/** A run of one step whose agent is at work; with a check if asked for. */
function atWork({ checks = [] as { run: string }[] } = {}): RunState {
  const { flow } = EXAMPLES.RunCreated;
  const steps = flow.steps.map((step) => ({ ...step, checks }));
  const data = { ...EXAMPLES.RunCreated, settings, flow: { ...flow, steps } };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1_000);
  takeTurn(state, [settled("work#1/StartAgent")], 2_000);
  return state;
}

const settled = (key: string): RunEvent => ({
  type: "EffectSettled",
  data: { key, outcome: { kind: "done" } },
});
const says = (...signals: Signal[]): RunEvent => ({
  type: "SignalsHeard",
  data: { attempt: "work#1", cursor: "9", signals },
});
const asked = (id: string, request: RunRequest): RunEvent => ({
  type: "RequestHeard",
  data: { requestId: id, request, by: "ann" },
});
const DONE: Signal[] = [
  { kind: "result", ok: true, text: "done" },
  { kind: "exit", how: "code", code: 0 },
];
const wantsApproval: Signal = { kind: "blocked", reason: "approval_completion", text: "look at it" };

test("G3 an agent that asks for approval while the run waits for somebody else is answered afterwards", () => {
  const state = atWork();
  takeTurn(state, [asked("r1", { kind: "escalate", note: "look" })], 3_000);
  takeTurn(state, [says(wantsApproval, ...DONE)], 4_000);
  assert.equal(state.blocked?.reason, "operator_escalation");
  takeTurn(state, [asked("r2", { kind: "unblock", escalation: "run_1.e1" })], 5_000);
  assert.deepEqual([state.status, state.blocked.reason], ["awaiting_approval", "approval_completion"]);
  takeTurn(state, [asked("r3", { kind: "approve" })], 6_000);
  assert.equal(state.status, "completed");
});

test("G3 work that waits to be approved does not count because the run is paused meanwhile", () => {
  const state = atWork();
  takeTurn(state, [asked("r1", { kind: "pause" })], 3_000);
  assert.equal(state.attempts["work#1"]?.ending, "paused");
  takeTurn(state, [says(wantsApproval, ...DONE)], 4_000);
  assert.equal(state.status, "pausing", "what the agent has started is still being ended");
  takeTurn(state, [settled("work#1/EndAgent")], 5_000);
  assert.deepEqual([state.status, state.steps["work"]?.status], ["paused", "pending"]);
});

test("G3 work that a person sends back does not count, although its agent ends well just then", () => {
  const state = atWork();
  takeTurn(state, [says(wantsApproval)], 3_000);
  takeTurn(state, [asked("r1", { kind: "reject", note: "not like this" })], 4_000);
  takeTurn(state, [says(...DONE)], 5_000);
  assert.deepEqual(Object.keys(state.attempts), ["work#1"], "what it has started is still being ended");
  takeTurn(state, [settled("work#1/EndAgent")], 6_000);
  assert.equal(state.status, "running");
  assert.ok(Object.hasOwn(state.attempts, "work#2"), "it is not worked again");
});

test("G6 work that a person sends back does not count, although its checks pass just then", () => {
  const state = atWork({ checks: [{ run: "lint" }] });
  takeTurn(state, [says(...DONE)], 3_000);
  assert.equal(state.steps["work"]?.status, "checking");
  takeTurn(state, [blockedBy({ reason: "approval_transition" })], 4_000);
  takeTurn(state, [asked("r1", { kind: "reject", note: "not like this" })], 5_000);
  assert.ok(Object.hasOwn(state.attempts, "work#2"), "it is not worked again");
  takeTurn(state, [settled("work#1/RunCheck")], 6_000);
  assert.equal(state.steps["work"].checking, null);
});

test("G3 a session that cannot be ended does not take the place of an approval", () => {
  const state = atWork();
  takeTurn(state, [says(wantsApproval)], 3_000);
  const attempt = state.attempts["work#1"];
  assert.ok(attempt !== undefined);
  attempt.ending = "stalled";
  attempt.endTries = attempt.endTriesMax;
  takeTurn(state, [], 4_000);
  assert.equal(state.status, "awaiting_approval");
});

test("G5 a block that follows another in one breath has a question of its own", () => {
  const state = atWork();
  takeTurn(state, [asked("r1", { kind: "escalate", note: "look" })], 3_000);
  const again = [asked("r2", { kind: "retry" }), asked("r3", { kind: "escalate", note: "look again" })];
  takeTurn(state, again, 4_000);
  assert.deepEqual(Object.keys(state.escalations), ["run_1.e2"]);
  assert.equal(state.escalations["run_1.e2"]?.detail, "look again");
});

test("G5 a notice queued by an asker who does not send wakes somebody who does, and goes when it is settled", () => {
  const state = atWork();
  takeTurn(state, [asked("r1", { kind: "escalate", note: "look" })], 3_000, decideRequests);
  assert.deepEqual(Object.keys(state.notices), ["run_1.e1/ops"]);
  assert.equal(nextDeadline(state, 3_000), 3_001);
  takeTurn(state, [asked("r2", { kind: "cancel" })], 4_000, decideRequests);
  assert.deepEqual(state.notices, {});
});

test("G3 what is printed for a spent budget names everything that is spent", () => {
  const state = atWork();
  state.budget = { usd: 1, tokens: 100 };
  state.spent = { usd: 1.5, tokens: 120, turns: 0, timeMs: 0 };
  takeTurn(state, [blockedBy({ reason: "budget_exhausted" })], 3_000);
  assert.ok(state.blocked !== null);
  const words = recoveryArguments(state, state.blocked);
  assert.deepEqual(words, ["set", "run_1", "budget.usd=3", "budget.tokens=240"]);
});

test("G3 a reason that an agent gives without a cause that Holdfast can see is left by unblock", () => {
  for (const reason of ["budget_exhausted", "journal_damaged"] as const) {
    const state = atWork();
    takeTurn(state, [says({ kind: "blocked", reason, text: "mine" })], 3_000);
    assert.ok(state.blocked !== null);
    assert.deepEqual(recoveryArguments(state, state.blocked), ["unblock", "run_1.e1"]);
  }
});

test("G6 feedback is forgotten once the checks have passed", () => {
  const state = atWork({ checks: [{ run: "lint" }] });
  const verdict = (name: "fail" | "pass", feedback: string): RunEvent => ({
    type: "StepChecked",
    data: { step: "work", attempt: "work#1", verdict: name, ...(name === "pass" ? {} : { feedback }) },
  });
  evolve(state, verdict("fail", "a comma"), { run: "run_1", seq: 90, at: 3_000 });
  assert.equal(state.steps["work"]?.feedback, "a comma");
  evolve(state, verdict("pass", ""), { run: "run_1", seq: 91, at: 4_000 });
  assert.equal(state.steps["work"].feedback, null);
});
