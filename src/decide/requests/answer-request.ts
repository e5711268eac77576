import type { Budget } from "../../model/requests/budget.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RequestAnswer, RunRequest } from "../../model/requests/requests.ts";
import type { OpenRequest } from "../../model/state/asked-state.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { setRun } from "../dispatch/run-changes.ts";
import { allowedIn, isAllowed } from "../recovery/state-table.ts";
import { approvedBefore } from "./answer-gate.ts";
import { approve, escalate, reject, sendToSuspended, unblock } from "./answer-person.ts";
import { afterAsking } from "../ladder/climb.ts";
import { cancelAlarm, setAlarm } from "./decide-alarms.ts";
import { noteCheckpoint, report, sendToAgent } from "./talk-to-agent.ts";
import { retry } from "../attempt/retry.ts";
import { handOff } from "./hand-over.ts";
import { askCheckpoint, askRestore } from "./ask-checkpoint.ts";
import { reconcile, reissue } from "./reissue.ts";
import { askCommit } from "../workspace/decide-commit.ts";
import { settleProposal } from "../workspace/decide-proposals.ts";
import { trustFiles } from "../gate/decide-guard.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";
import { answerAway } from "./answer-away.ts";
import { useTerminal } from "./use-terminal.ts";
import { notFor } from "./who-may.ts";

/** Answers the oldest open request: what it changes, and the answer, in one decision. */
export function answerRequest(state: RunState, open: OpenRequest): RunEvent[] {
  const { changes, answer } = decideRequest(state, open);
  return [
    ...afterAsking(state, changes),
    ...changes,
    { type: "RequestAnswered", data: { requestId: open.id, answer } },
  ];
}

function decideRequest(state: RunState, open: OpenRequest): Verdict {
  const { request, by, principal } = open;
  const notMeant = notFor(state, request, principal);
  if (notMeant !== null) return refusedFor(notMeant);
  if (!isAllowed(request.kind, state.status)) return notAllowed(state, request);
  return answerAway(state, request, by) ?? answerHere(state, open);
}

function answerHere(state: RunState, { request, by, principal }: OpenRequest): Verdict {
  switch (request.kind) {
    case "pause":
      return pause(state);
    case "cancel":
      return stopTo("cancelled", "cancelling: live sessions are being ended");
    case "resume":
      return resume(state, request, by);
    case "retry":
      return retry(state, request, by);
    case "signal":
    case "settle":
      return onlyForPrograms(request.kind);
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
      return sendToSuspended(state, request, by) ?? sendToAgent(state, request, by);
    case "report":
    case "checkpoint_note":
      return ofAgent(state, request);
    case "alarm":
    case "cancel_alarm":
      return request.kind === "alarm" ? setAlarm(state, request, by) : cancelAlarm(state, request, by);
    case "terminal":
      return useTerminal(state, request);
    case "escalate":
      return escalate(state, request, by);
  }
}

const ofAgent = (
  state: RunState,
  request: Extract<RunRequest, { kind: "report" | "checkpoint_note" }>,
): Verdict => (request.kind === "report" ? report(state, request) : noteCheckpoint(state, request));

const notAllowed = (state: RunState, request: RunRequest): Verdict =>
  (request.kind === "approve" ? approvedBefore(state, request) : null) ?? refuse(state, request.kind);

/** A run of steps has no workflow function that could receive it; the program of a workflow function answers these. */
const onlyForPrograms = (kind: string): Verdict =>
  refusedFor(`${kind} is refused: the run is supervised, not a program`);

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

/** With another agent it is one decision: nobody resumes with the former one in between. */
function resume(state: RunState, asked: Extract<RunRequest, { kind: "resume" }>, by: string): Verdict {
  const resumed: RunEvent = { type: "RunResumed", data: {} };
  const { to, spec, step, files = [] } = asked;
  if (to === undefined || spec === undefined) return answered("the run goes on", [resumed]);
  const words = { kind: "handoff", to, spec, files, reason: "resumed with another agent" } as const;
  const handed = handOff(state, { ...words, ...(step === undefined ? {} : { step }) }, by);
  if (handed.answer.kind === "refused") return handed;
  return answered(`${handed.answer.text}; the run goes on`, [...handed.changes, resumed]);
}

const reopen = (): Verdict =>
  answered("the run is open again and paused; retry a step or resume it", [
    { type: "RunReopened", data: {} },
  ]);

const stopTo = (to: "paused" | "cancelled", text: string): Verdict =>
  answered(text, [{ type: "RunStopping", data: { to, stop: "operator" } }]);

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
