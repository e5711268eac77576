import type { Blocked, BlockedReason } from "../../model/requests/blocked.ts";
import { isApproval } from "../../model/requests/blocked.ts";
import { commandText } from "../../model/text/command-text.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { approveGate, rejectGate, type Asker } from "./answer-gate.ts";
import { stillInTheWay } from "../dispatch/run-changes.ts";
import { recoveryArguments } from "../recovery/recovery.ts";
import { personAllows } from "./talk-to-agent.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";
import { unchecked } from "../workspace/decide-checkpoints.ts";

type Asked<Kind extends RunRequest["kind"]> = Extract<RunRequest, { kind: Kind }>;

/**
 * Steps blocked for these are tried again when somebody lets the run go on: what they have behind them counts no more.
 */
const TRIED_AGAIN: readonly BlockedReason[] = [
  "dispatch_error",
  "retries_exhausted",
  "timeout",
  "in_doubt",
  "stuck",
  "crash_loop",
];

const goOn: RunEvent = { type: "RunUnblocked", data: {} };

const advise = (blocked: Blocked, note: string | undefined, by: string): RunEvent[] =>
  note === undefined || blocked.step === undefined
    ? []
    : [{ type: "StepAdvised", data: { step: blocked.step, note, by } }];

const resolveAll = (state: RunState, how: "unblocked" | "went_on", by: string, note?: string): RunEvent[] =>
  Object.keys(state.escalations).map((id) => ({
    type: "EscalationResolved",
    data: { id, how, by, ...(note === undefined ? {} : { note }) },
  }));

/** What is answered at a gate settles what was asked about it. */
const withResolved = (
  state: RunState,
  verdict: Verdict | null,
  by: string,
  note: string | undefined,
): Verdict | null =>
  verdict === null || verdict.changes.length === 0
    ? verdict
    : { ...verdict, changes: [...resolveAll(state, "went_on", by, note), ...verdict.changes] };

/** The command that does help, for a person who tried another. */
const instead = (state: RunState, blocked: Blocked): string =>
  `expected ${commandText(recoveryArguments(state, blocked), null)}`;

/** Why an answer is to nothing that is asked now (A9); null where it may be. An answer never counts for a later question. */
function notAsked(state: RunState, { kind, escalation }: Asked<"approve" | "reject">): Verdict | null {
  const open = Object.keys(state.escalations);
  if (escalation === undefined || open.includes(escalation)) return null;
  const now =
    state.blocked === null || open.length === 0
      ? "nothing is asked now"
      : `asked now is ${open.join(", ")} (${state.blocked.detail}): look at it first, ${instead(state, state.blocked)}`;
  return refusedFor(`${kind} is refused: the question "${escalation}" is not open any more; ${now}`, [
    "awaiting_approval",
  ]);
}

export function approve(state: RunState, request: Asked<"approve">, asker: Asker): Verdict {
  const { note } = request;
  const { by } = asker;
  const { blocked } = state;
  const stale = notAsked(state, request);
  const atGate = withResolved(state, approveGate(state, request, asker), by, note);
  // That it was approved before may be said at any time.
  if (atGate !== null && (stale === null || atGate.changes.length === 0)) return atGate;
  if (stale !== null) return stale;
  if (blocked === null || !(isApproval(blocked.reason) || blocked.reason === "gate_action_failed"))
    return refusedFor(
      `approve is refused: the run waits for no approval but is blocked as ${blocked?.reason ?? "nothing"}; ${blocked === null ? "see its status" : instead(state, blocked)}`,
      ["awaiting_approval"],
    );
  const allowed = personAllows(state, { allow: true, note, by });
  const words = allowed.length > 0 ? [] : advise(blocked, note, by);
  const changes = [...resolveAll(state, "went_on", by, note), ...words, ...allowed, goOn];
  return answered("approved: the run goes on", changes);
}

const MANUAL_NO = "noted: the step has failed; `retry` asks for it again";

/** Whether the run waits for a person to do a step. */
const isManual = (state: RunState): boolean => {
  const agent = state.attempts[state.blocked?.ask?.attempt ?? ""]?.agent;
  return agent !== undefined && state.agents[agent]?.use === "manual";
};

/** The work goes back to the step it came from, and a session that still holds it is ended: its next attempt knows why. */
export function reject(state: RunState, request: Asked<"reject">, asker: Asker): Verdict {
  const { note } = request;
  const { by } = asker;
  const { blocked } = state;
  const stale = notAsked(state, request);
  if (stale !== null) return stale;
  const atGate = withResolved(state, rejectGate(state, request, asker), by, note);
  if (atGate !== null) return atGate;
  if (blocked === null) return refusedFor("reject is refused: nothing waits for an answer");
  const denied = personAllows(state, { allow: false, note, by });
  if (denied.length > 0)
    return answered(
      isManual(state) ? MANUAL_NO : "denied: the agent receives the refusal and continues without it",
      [...resolveAll(state, "went_on", by, note), ...denied, goOn],
    );
  const live = Object.values(state.attempts).filter(
    ({ step, ending }) => step === blocked.step && ending === null,
  );
  const back = live.map((attempt): RunEvent => ({
    type: "AttemptEnding",
    data: { attempt: attempt.id, to: "sent_back", why: note },
  }));
  const reset: RunEvent[] =
    blocked.step === undefined || live.length > 0
      ? []
      : [...unchecked(state, blocked.step, note), { type: "StepReset", data: { step: blocked.step } }];
  const changes = [
    ...resolveAll(state, "went_on", by, note),
    ...advise(blocked, note, by),
    ...back,
    ...reset,
    goOn,
  ];
  return answered("sent back: the step is worked again with your note", changes);
}

export function unblock(state: RunState, { escalation, note }: Asked<"unblock">, by: string): Verdict {
  const { blocked } = state;
  const open = Object.keys(state.escalations);
  if (blocked === null || !open.includes(escalation))
    return refusedFor(
      `unblock is refused: the escalation "${escalation}" is not open; open are: ${open.join(", ") || "none"}`,
      ["blocked"],
    );
  const left = stillInTheWay(state);
  if (left !== null) return refusedFor(`unblock is refused: ${left}; ${instead(state, blocked)}`);
  return answered("unblocked: the run goes on", letContinue(state, blocked, { by, note }));
}

/** The run continues after what it was blocked for, with a person's note for the step that it was about. */
function letContinue(
  state: RunState,
  blocked: Blocked,
  { by, note }: { readonly by: string; readonly note: string | undefined },
): RunEvent[] {
  const isDone = state.steps[blocked.step ?? ""]?.status === "succeeded";
  const replanned: RunEvent[] =
    blocked.step !== undefined && !isDone && TRIED_AGAIN.includes(blocked.reason)
      ? [{ type: "StepReset", data: { step: blocked.step } }]
      : [];
  return [...resolveAll(state, "unblocked", by, note), ...advise(blocked, note, by), ...replanned, goOn];
}

/** What a message to the agent answers by itself. */
const ANSWERED_BY_MESSAGE: readonly BlockedReason[] = ["needs_human", "operator_escalation", "stuck"];

/**
 * A message for an agent whose session was suspended because people are asked: it brings the session back. Null where
 * there is no such session, or where something else than a message is needed.
 */
export function sendToSuspended(state: RunState, { text, step }: Asked<"tell">, by: string): Verdict | null {
  const { blocked } = state;
  const about = blocked?.step;
  if (blocked === null || about === undefined || (step !== undefined && step !== about)) return null;
  if ((state.steps[about]?.suspended ?? null) === null || state.steps[about]?.live !== null) return null;
  if (!ANSWERED_BY_MESSAGE.includes(blocked.reason) || stillInTheWay(state) !== null) return null;
  return answered(
    `the session of ${about} was suspended; it continues with your message`,
    letContinue(state, blocked, { by, note: text }),
  );
}

/**
 * Stops a run for an operator. One that waits for somebody already keeps its reason, and with it the commands that
 * help; an operator is notified of it through every channel.
 */
export function escalate(state: RunState, { step, note }: Asked<"escalate">, by: string): Verdict {
  if (state.blocked !== null) return passUp(state, state.blocked, { step, note, by });
  if (step !== undefined && !Object.hasOwn(state.steps, step))
    return refusedFor(
      `escalate is refused: the run has no step "${step}"; its steps are ${Object.keys(state.steps).join(", ")}`,
    );
  const about = step ?? Object.values(state.attempts)[0]?.step;
  const blocked = {
    reason: "operator_escalation",
    detail: note,
    attemptKept: Object.keys(state.attempts).length > 0,
    guidance: [],
    ...(about === undefined ? {} : { step: about }),
  } satisfies Blocked;
  return answered("escalated: the run waits for an operator", [{ type: "RunBlocked", data: { blocked } }]);
}

function passUp(
  state: RunState,
  blocked: Blocked,
  { step, note, by }: { readonly step: string | undefined; readonly note: string; readonly by: string },
): Verdict {
  if (step !== undefined && blocked.step !== undefined && step !== blocked.step)
    return refusedFor(
      `escalate is refused: the run is blocked for the step "${blocked.step}", not for "${step}"; leave out --step`,
    );
  if (blocked.owner === "operator" || blocked.reason === "operator_escalation")
    return refusedFor(
      `escalate is refused: it is with an operator already (${blocked.detail}); ${instead(state, blocked)}`,
    );
  const detail = `${blocked.detail}; escalated by ${by}: ${note}`;
  return answered("escalated: an operator is notified; the command that helps stays the same", [
    { type: "RunBlocked", data: { blocked: { ...blocked, owner: "operator", detail } } },
  ]);
}
