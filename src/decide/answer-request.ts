import type { Budget } from "../model/budget.ts";
import type { RunEvent } from "../model/events.ts";
import type { RequestAnswer, RunRequest } from "../model/requests.ts";
import type { OpenRequest } from "../model/asked-state.ts";
import type { RunState } from "../model/run-state.ts";
import { setRun } from "./run-changes.ts";
import { allowedIn, isAllowed } from "./state-table.ts";
import { approvedBefore } from "./answer-gate.ts";
import { approve, escalate, reject, sendToSuspended, unblock } from "./answer-person.ts";
import { afterAsking } from "./climb.ts";
import { cancelAlarm, setAlarm } from "./judge-alarms.ts";
import { noteCheckpoint, report, tell } from "./talk-to-agent.ts";
import { atWorkOf, replan } from "./plan.ts";
import { handOff } from "./hand-over.ts";
import { askCheckpoint, askRestore } from "./ask-checkpoint.ts";
import { reconcile, reissue } from "./reissue.ts";
import { askCommit } from "./judge-commit.ts";
import { settleProposal } from "./judge-proposals.ts";
import { trustFiles } from "./judge-guard.ts";
import { answered, refusedFor, type Verdict } from "./verdict.ts";
import { notFor } from "./who-may.ts";

/** Answers the oldest open request: what it changes, and the answer, in one decision. */
export function answerRequest(state: RunState, open: OpenRequest): RunEvent[] {
  const { changes, answer } = judge(state, open);
  return [
    ...afterAsking(state, changes),
    ...changes,
    { type: "RequestAnswered", data: { requestId: open.id, answer } },
  ];
}

function judge(state: RunState, { request, by, principal }: OpenRequest): Verdict {
  const notMeant = notFor(state, request, principal);
  if (notMeant !== null) return refusedFor(notMeant);
  if (!isAllowed(request.kind, state.status)) return notAllowed(state, request);
  switch (request.kind) {
    case "pause":
      return pause(state);
    case "cancel":
      return stopTo("cancelled", "cancelling: live sessions are being ended");
    case "resume":
      return answered("the run goes on", [{ type: "RunResumed", data: {} }]);
    case "retry":
      return retry(state, request.step, by);
    case "signal":
    case "settle":
      return onlyForBodies(request.kind);
    case "budget":
      return setBudget(state, request.budget, by);
    case "set":
      return setRun(state, request, by);
    case "reopen":
      return reopen();
    case "approve":
      return approve(state, request, { by, principal });
    case "reject":
      return reject(state, request, { by, principal });
    case "unblock":
      return unblock(state, request, by);
    case "commit":
    case "accept":
      return askCommit(state, request, by);
    case "handoff":
      return handOff(state, request, by);
    case "checkpoint":
      return askCheckpoint(state, request);
    case "restore":
      return askRestore(state, request, by);
    case "reissue":
      return reissue(state, request, by);
    case "reconcile":
      return reconcile(state);
    case "apply_proposal":
    case "reject_proposal":
      return settleProposal(state, request, by);
    case "trust":
      return trustFiles(state, request, by);
    case "tell":
      return sendToSuspended(state, request, by) ?? tell(state, request, by);
    case "report":
      return report(state, request);
    case "checkpoint_note":
      return noteCheckpoint(state, request);
    case "alarm":
      return setAlarm(state, request, by);
    case "cancel_alarm":
      return cancelAlarm(state, request, by);
    case "escalate":
      return escalate(state, request);
  }
}

const notAllowed = (state: RunState, request: RunRequest): Verdict =>
  (request.kind === "approve" ? approvedBefore(state, request) : null) ?? refuse(state, request.kind);

/** A run of steps has no body that could hear it; a body's own program answers these. */
const onlyForBodies = (kind: string): Verdict =>
  refusedFor(`${kind} is refused: the run is worked by agents, not by a body`);

function refuse(state: RunState, kind: RunRequest["kind"]): Verdict {
  const states = allowedIn(kind);
  const answer: RequestAnswer = {
    kind: "refused",
    text: `${kind} is refused: the run is ${state.status}; it is allowed when the run is ${states.join(", ")}`,
    allowedIn: states,
  };
  return { changes: [], answer };
}

function pause(state: RunState): Verdict {
  if (state.status === "pausing" && state.stoppingTo === "paused")
    return answered("the run is pausing already");
  if (state.status === "pausing")
    return refusedFor("pause is refused: the run is being cancelled", ["queued", "running"]);
  return stopTo("paused", "pausing: live sessions are being ended, finished work is kept");
}

const reopen = (): Verdict =>
  answered("the run is open again and paused; retry a step or resume it", [
    { type: "RunReopened", data: {} },
  ]);

const stopTo = (to: "paused" | "cancelled", text: string): Verdict =>
  answered(text, [{ type: "RunStopping", data: { to, stop: "operator" } }]);

function retry(state: RunState, name: string | undefined, by: string): Verdict {
  if (name !== undefined && !Object.hasOwn(state.steps, name))
    return refusedFor(
      `retry is refused: the run has no step "${name}"; its steps are ${Object.keys(state.steps).join(", ")}`,
    );
  const planner = state.steps[name ?? ""];
  if (planner?.status === "dropped")
    return refusedFor(`retry is refused: the step "${name ?? ""}" was dropped when its plan was made anew`);
  const isPlan = planner?.spec.plans !== undefined && planner.status === "succeeded";
  const busy = isPlan ? atWorkOf(state, planner.spec.name) : [];
  if (busy.length > 0)
    return refusedFor(
      `retry is refused: ${busy.join(", ")} of the plan is at work; pause the run first, then plan anew`,
      ["paused"],
    );
  const steps = name === undefined ? stepsToRetry(state) : [name];
  const resets = isPlan
    ? replan(state, planner, { why: "A person wants the rest planned anew.", by })
    : steps.map((step): RunEvent => ({ type: "StepReset", data: { step } }));
  const ended = state.status === "failed" || state.status === "cancelled";
  const going: RunEvent[] = [
    ...(ended ? [{ type: "RunReopened", data: {} } as const] : []),
    state.status === "blocked" ? { type: "RunUnblocked", data: {} } : { type: "RunResumed", data: {} },
  ];
  const what = steps.length === 0 ? "the run goes on" : `the run goes on; tried again: ${steps.join(", ")}`;
  return answered(what, [...resets, ...going]);
}

/** Without a name: what failed, and what is in the middle of its tries. */
const stepsToRetry = (state: RunState): string[] =>
  Object.entries(state.steps)
    .filter(([, step]) => step.status === "failed" || (step.status === "pending" && step.charged > 0))
    .map(([name]) => name);

/** A ceiling that is not named stays as it is. */
const setBudget = (state: RunState, change: Budget, by: string): Verdict =>
  setRun(
    state,
    {
      kind: "set",
      changes: Object.entries(change).map(([kind, value]) => ({ key: `budget.${kind}`, value })),
    },
    by,
  );
