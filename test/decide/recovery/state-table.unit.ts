import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, decideRequests } from "../../../src/decide/decide.ts";
import { STATE_TABLE, allowedIn } from "../../../src/decide/recovery/state-table.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { RequestAnswer, RequestKind, RunRequest } from "../../../src/model/requests/requests.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { RUN_STATUSES, isEnded, isWorking, type RunStatus } from "../../../src/model/state/run-status.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";
import { IN_STATE, blockedBy, given } from "../states.ts";

/** Each request as a person would put it; exhaustive by type. */
const ASKED: { readonly [Kind in RequestKind]: Extract<RunRequest, { kind: Kind }> } = {
  pause: { kind: "pause" },
  resume: { kind: "resume" },
  cancel: { kind: "cancel" },
  retry: { kind: "retry" },
  reopen: { kind: "reopen" },
  approve: { kind: "approve" },
  reject: { kind: "reject", note: "not yet" },
  unblock: { kind: "unblock", escalation: "run_1.e1" },
  escalate: { kind: "escalate", note: "look at this" },
  tell: { kind: "tell", text: "hurry" },
  report: { kind: "report", attempt: "work#1", say: "progress", text: "half" },
  checkpoint_note: { kind: "checkpoint_note", attempt: "work#1", note: { done: "half" } },
  alarm: { kind: "alarm", dueAt: 3_600_000, note: "look again" },
  cancel_alarm: { kind: "cancel_alarm", alarm: "run_1.a1" },
  terminal: { kind: "terminal", attempt: "work#1", act: "give_back" },
  signal: { kind: "signal", name: "go", value: 1 },
  settle: { kind: "settle", key: "step:post", outcome: { kind: "again" } },
  budget: { kind: "budget", budget: { usd: 50 } },
  set: { kind: "set", changes: [{ key: "attempts.perStep", value: 5 }] },
  reissue: { kind: "reissue", reason: "drift" },
  reconcile: { kind: "reconcile" },
  trust: { kind: "trust", trees: [] },
  checkpoint: { kind: "checkpoint" },
  handoff: { kind: "handoff", to: "expert", spec: { use: "demo" }, files: [] },
  restore: { kind: "restore" },
  commit: { kind: "commit" },
  accept: { kind: "accept" },
  apply_proposal: { kind: "apply_proposal", proposal: "run_1.p1" },
  reject_proposal: { kind: "reject_proposal", proposal: "run_1.p1", note: "not yet" },
};
const KINDS = Object.keys(ASKED) as RequestKind[];

/** A run of agents refuses these wherever it stands: they are for bodies. */
const FOR_BODIES: readonly RequestKind[] = ["signal", "settle"];

/** What makes a request sensible in a state where it is taken only for some causes. */
function standing(status: RunStatus, kind: RequestKind): RunState {
  if (status === "blocked" && kind === "approve") {
    const [start] = IN_STATE.blocked;
    return given(...(start === undefined ? [] : [start]), blockedBy({ reason: "gate_action_failed" }));
  }
  if (kind === "cancel_alarm")
    return given({ type: "AlarmSet", data: EXAMPLES.AlarmSet }, ...IN_STATE[status]);
  if (kind === "reconcile")
    return given(
      { type: "BaseNoted", data: EXAMPLES.BaseNoted },
      { type: "DriftFound", data: EXAMPLES.DriftFound },
      ...IN_STATE[status],
    );
  if (kind === "apply_proposal" || kind === "reject_proposal")
    return given({ type: "ProposalMade", data: EXAMPLES.ProposalMade }, ...IN_STATE[status]);
  if (kind === "restore")
    return given({ type: "CheckpointTaken", data: EXAMPLES.CheckpointTaken }, ...IN_STATE[status]);
  if ((kind === "report" || kind === "checkpoint_note") && STATE_TABLE[kind][status] !== undefined) {
    const [start, ...rest] = IN_STATE[status];
    const begun: RunEvent = { type: "AttemptStarted", data: EXAMPLES.AttemptStarted };
    return given(...(start === undefined ? [] : [start]), begun, ...rest);
  }
  return given(...IN_STATE[status]);
}

/** Asks as somebody would who finds the run unowned; escalations are raised first, as they would be. */
function ask(state: RunState, request: RunRequest): RequestAnswer {
  takeTurn(state, [], state.at, decideRequests);
  const received = { type: "RequestHeard", data: { requestId: "r1", request, by: "test" } } as const;
  const events = takeTurn(state, [received], state.at + 1, decideRequests);
  const answer = events.find((event) => event.type === "RequestAnswered");
  assert.ok(answer !== undefined, "the request was not answered");
  return answer.data.answer;
}

for (const status of RUN_STATUSES)
  for (const kind of KINDS) {
    const taken = STATE_TABLE[kind][status];
    if (taken === undefined)
      test(`G2 ${kind} is refused while ${status}, and the refusal names where it is taken`, () => {
        const state = standing(status, kind);
        const answer = ask(state, ASKED[kind]);
        assert.ok(answer.kind === "refused");
        assert.deepEqual(answer.allowedIn, allowedIn(kind));
        for (const allowed of allowedIn(kind)) assert.match(answer.text, new RegExp(`\\b${allowed}\\b`));
        assert.equal(state.status, status);
      });
    else
      test(`G2 ${kind} is taken while ${status}: ${taken.does}`, () => {
        const state = standing(status, kind);
        const answer = ask(state, ASKED[kind]);
        if (FOR_BODIES.includes(kind)) {
          assert.equal(answer.kind, "refused");
          assert.match(answer.text, /the run is supervised, not a program/);
          assert.equal(state.status, status);
        } else {
          assert.equal(answer.kind, "done", answer.text);
          assert.ok(taken.to.includes(state.status), `${state.status} is not among ${taken.to.join(", ")}`);
        }
      });
  }

test("G2 no state is a dead end: each moves by itself or has a request that leads out of it", () => {
  for (const status of RUN_STATUSES) {
    const out = KINDS.filter((kind) => STATE_TABLE[kind][status]?.to.some((to) => to !== status) === true);
    assert.ok(out.length > 0, `${status} has no way out`);
    if (isEnded(status)) assert.ok(out.includes("reopen"), `${status} cannot be reopened`);
    if (isWorking(status)) assert.ok(out.includes("cancel"), `${status} cannot be cancelled`);
  }
});

test("G2 a run caught pausing settles as paused, and one being cancelled as cancelled, no matter who owns it", () => {
  for (const [to, settled] of [
    ["paused", "paused"],
    ["cancelled", "cancelled"],
  ] as const) {
    const state = given(
      { type: "RunStarted", data: {} },
      { type: "RunStopping", data: { to, stop: "operator" } },
    );
    takeTurn(state, [], state.at, decideRequests);
    assert.equal(state.status, settled);
  }
});

test("G2 a run stopped by a shutdown goes on with the next owner, one stopped by a person does not", () => {
  for (const [stop, expected] of [
    ["shutdown", "running"],
    ["supervisor_restart", "running"],
    ["operator", "paused"],
    ["panic", "paused"],
  ] as const) {
    const state = given({ type: "RunStarted", data: {} }, { type: "RunPaused", data: { stop } });
    const claimed = { type: "RunClaimed", data: { owner: "own_2", epoch: 7, from: "released" } } as const;
    const events = takeTurn(state, [claimed], state.at, decide);
    assert.equal(
      events.some(({ type }) => type === "RunResumed"),
      expected === "running",
      stop,
    );
  }
});
