import { unsafeBecause } from "../../src/decide/workspace/decide-drift.ts";
import { STATE_TABLE, isAllowed } from "../../src/decide/recovery/state-table.ts";
import type { RequestAnswer, RunRequest } from "../../src/model/requests/requests.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import type { RunStatus } from "../../src/model/state/run-status.ts";
import type { Moment, Say, Watcher } from "../world/replay.ts";

const isStanding = (status: RunStatus | null): status is "blocked" | "awaiting_approval" =>
  status === "blocked" || status === "awaiting_approval";

/** Once, and with its reason kept, a block becomes an operator's. */
const isPassingUp = (standing: RunState["blocked"], next: NonNullable<RunState["blocked"]>): boolean =>
  next.owner === "operator" && standing?.owner !== "operator" && standing?.reason === next.reason;

/** Blocked is left by a request that the table allows, never by itself; and nothing is begun meanwhile. */
export function blockedStays(): Watcher {
  const asked = new Map<string, RunRequest>();
  let left: { readonly from: RunStatus; readonly seq: number } | null = null;
  let standing: RunState["blocked"] = null;
  let expired = false;
  const hold = ({ event }: Moment, say: Say): void => {
    if (left === null) return;
    const { type, data } = event;
    const kind = type === "RequestAnswered" ? asked.get(data.requestId)?.kind : undefined;
    const done = type === "RequestAnswered" && data.answer.kind === "done";
    if (kind === undefined || !done || !isAllowed(kind, left.from))
      say(`it was ${left.from} and left that at ${String(left.seq)} by itself`);
    left = null;
  };
  return {
    see(moment, say) {
      const { event, was, state } = moment;
      hold(moment, say);
      const { type, data, seq } = event;
      if (type === "RequestHeard") asked.set(data.requestId, data.request);
      if (type === "RunBlocked" && isStanding(was) && !isPassingUp(standing, data.blocked))
        say(`it is blocked again at ${String(seq)}, over a block`);
      standing = state.blocked;
      if (type === "AttemptStarted" && state.status !== "running")
        say(`${data.attempt} began at ${String(seq)} while the run was ${state.status}`);
      // What a gate says of an answer that does not come was said beforehand.
      if (type === "GateExpired") expired = data.then === "cancel" || data.then === "go_on";
      if (isStanding(was) && state.status !== was) {
        left = expired ? null : { from: was, seq };
        expired = false;
      }
    },
    end(_, say) {
      if (left !== null) say(`it was ${left.from} and left that at ${String(left.seq)} by itself`);
    },
  };
}

/** One open escalation per standing block, of that very block, and none without; each is resolved once. */
export function escalationsFit(): Watcher {
  const open = new Map<string, { readonly cause: string; readonly seq: number }>();
  const known = new Set<string>();
  let blockedSeq = 0;
  const level = ({ event, state }: Moment, say: Say): void => {
    const at = `at the end of the turn at ${String(event.seq)}`;
    const ids = [...open.keys()].join(", ");
    if (state.blocked === null && open.size > 0) say(`${ids} open ${at} without a block`);
    if (state.blocked === null) return;
    if (open.size !== 1) say(`${String(open.size)} escalations for one block ${at}`);
    for (const [id, { seq }] of open)
      if (seq < blockedSeq) say(`${id} is of an earlier block than the one that stands ${at}`);
  };
  return {
    see(moment, say) {
      const { type, data, seq } = moment.event;
      if (type === "RunBlocked") blockedSeq = seq;
      if (type === "EscalationRaised") {
        const { id, cause } = data.escalation;
        if (known.has(id)) say(`${id} is raised again at ${String(seq)}`);
        if ([...open.values()].some((other) => other.cause === cause))
          say(`${id} is raised at ${String(seq)} although its cause "${cause}" is open`);
        if (moment.state.blocked === null) say(`${id} is raised at ${String(seq)} without a block`);
        known.add(id);
        open.set(id, { cause, seq });
      }
      if (type === "EscalationResolved" && !open.delete(data.id))
        say(`${data.id} is resolved at ${String(seq)} but was not open`);
      if (moment.turnEnds) level(moment, say);
    },
  };
}

/** Why a request may be refused in a state where the table takes it. */
const MAY_REFUSE: Readonly<
  Partial<Record<RunRequest["kind"], (request: RunRequest, before: Before, state: RunState) => boolean>>
> = {
  pause: (_, { status }) => status === "pausing",
  approve: (request, { status }) =>
    status === "blocked" || (request.kind === "approve" && request.digest !== undefined),
  retry: (request, _, state) =>
    request.kind === "retry" &&
    (!knowsStep(state, request.step) || isOfPlan(state, request.step) || lacksLimits(state.blocked)),
  reissue: (request, _, state) =>
    request.kind === "reissue" && (!knowsStep(state, request.step) || isOfPlan(state, request.step)),
  reconcile: (_, __, { drift: { base, found }, workspace }) =>
    found === null || workspace.worktree !== null || unsafeBecause(base, found) !== null,
  escalate: (request, _, state) =>
    request.kind === "escalate" &&
    (!knowsStep(state, request.step) || isPassedUp(state.blocked, request.step)),
  unblock: (request, { open }, { blocked }) =>
    request.kind === "unblock" && (!open.includes(request.escalation) || lacksLimits(blocked)),
  budget: (_, __, { blocked }) => lacksLimits(blocked),
  set: (_, __, { blocked }) => lacksLimits(blocked),
  // Bounds, and agents that are at work no more.
  alarm: () => true,
  cancel_alarm: (request, { alarms }) => request.kind === "cancel_alarm" && !alarms.includes(request.alarm),
  checkpoint_note: () => true,
  checkpoint: (_, __, state) => isKeeping(state),
  handoff: () => true,
  restore: (request, _, state) =>
    isKeeping(state) ||
    Object.keys(state.attempts).length > 0 ||
    (request.kind === "restore" && !canBePutBack(state, request.checkpoint)),
  commit: (_, __, { workspace, readSince }) => workspace.commit.wanted !== null || readSince !== null,
  accept: (request, _, { workspace, attempts, checking, blocked, readSince }) =>
    workspace.commit.wanted !== null ||
    readSince !== null ||
    // Not every step has a part of its own that could be taken.
    (request.kind === "accept" && request.step !== undefined) ||
    Object.keys(attempts).length + Object.keys(checking).length > 0 ||
    (blocked?.reason === "conflict_loop" && !(request.kind === "accept" && request.resolution === "merge")),
  signal: () => true,
  settle: () => true,
};

/** It is with an operator already, or is about another step. */
const isPassedUp = (blocked: RunState["blocked"], step: string | undefined): boolean =>
  blocked !== null &&
  (blocked.owner === "operator" ||
    blocked.reason === "operator_escalation" ||
    (step !== undefined && blocked.step !== undefined && step !== blocked.step));

/** Of steps' own trees those that stand can be put back; the run's comes back where it was removed. */
function canBePutBack({ checkpoints, settings, workspace, cwd }: RunState, id: string | undefined): boolean {
  const isApart = settings.workspace.isolation === "attempt";
  const ofRun = [workspace.lastTree ?? cwd, workspace.worktree?.tree ?? cwd];
  const kept = Object.values(checkpoints);
  const wanted =
    id === undefined ? kept.findLast(({ tree }) => !isApart || ofRun.includes(tree)) : checkpoints[id];
  if (wanted === undefined || !isApart) return wanted !== undefined;
  return [...ofRun, ...Object.values(workspace.trees).map(({ tree }) => tree)].includes(wanted.tree);
}

const lacksLimits = (blocked: RunState["blocked"]): boolean =>
  blocked?.reason === "budget_exhausted" || blocked?.reason === "timeout";

const isKeeping = ({ effects }: RunState): boolean =>
  Object.values(effects).some(({ kind }) => kind === "TakeCheckpoint" || kind === "RestoreCheckpoint");

/** Dropped with its plan, or the one that plans. */
const isOfPlan = (state: RunState, name: string | undefined): boolean => {
  const step = state.steps[name ?? ""];
  return step?.status === "dropped" || step?.spec.plans !== undefined;
};

const knowsStep = (state: RunState, step: string | undefined): boolean =>
  step === undefined || Object.hasOwn(state.steps, step);

interface Before {
  readonly status: RunStatus;
  readonly open: readonly string[];
  readonly alarms: readonly string[];
}

/** Every answer is the table's: taken where it allows, refused elsewhere, and the state after it is one it names. */
export function answersFitTable(): Watcher {
  const asked = new Map<string, RunRequest>();
  let before: Before = { status: "queued", open: [], alarms: [] };
  const judge = (request: RunRequest, answer: RequestAnswer, state: RunState): string | null => {
    const taken = STATE_TABLE[request.kind][before.status];
    const what = `${request.kind} in ${before.status}`;
    // Said twice, it is answered and changes nothing.
    if (request.kind === "approve" && answer.text.startsWith("approved already"))
      return state.status === before.status ? null : `${what} changes something`;
    if (answer.kind === "refused") {
      if (state.status !== before.status) return `${what} is refused and leads to ${state.status}`;
      if (taken === undefined) return null;
      return MAY_REFUSE[request.kind]?.(request, before, state) === true ? null : `${what} is refused`;
    }
    if (taken === undefined) return `${what} is taken`;
    if (request.kind === "unblock" && !before.open.includes(request.escalation))
      return `${what} is taken under a stale id`;
    return taken.to.includes(state.status) ? null : `${what} leads to ${state.status}`;
  };
  return {
    see({ event, state }, say) {
      const { type, data, seq } = event;
      if (type === "RequestHeard") asked.set(data.requestId, data.request);
      const request = type === "RequestAnswered" ? asked.get(data.requestId) : undefined;
      const wrong =
        type === "RequestAnswered" && request !== undefined ? judge(request, data.answer, state) : null;
      if (wrong !== null) say(`${wrong}, at ${String(seq)}`);
      if (type === "RequestHeard" || type === "RequestAnswered" || type === "EscalationRaised")
        before = {
          status: state.status,
          open: Object.keys(state.escalations),
          alarms: Object.keys(state.alarms),
        };
    },
  };
}

/** What an agent asks of people is asked: its word is lost only with a session that is ended on the way to a stop. */
export function raisedIsAsked(): Watcher {
  const raised = new Map<string, string>();
  return {
    see({ event, state }, say) {
      const { type, data, seq } = event;
      if (type === "SignalsHeard") {
        const word = data.signals.find((signal) => signal.kind === "blocked");
        const live = state.attempts[data.attempt];
        if (word !== undefined && live !== undefined && live.ending === null)
          raised.set(data.attempt, live.step);
      }
      if (type === "RunBlocked")
        for (const [attempt, step] of raised) if (step === data.blocked.step) raised.delete(attempt);
      if (type !== "AttemptEnded" || !raised.delete(data.attempt)) return;
      const stopped = data.outcome === "interrupted" || data.outcome === "cancelled";
      if (!stopped) say(`what ${data.attempt} asked for is forgotten at ${String(seq)}`);
    },
  };
}

/** What a person sends back does not count, however it ends. */
export function sentBackStays(): Watcher {
  const back = new Set<string>();
  const rejects = new Set<string>();
  /** The work under check in the step that the run waits for. */
  let checked: string | undefined;
  return {
    see({ event, state }, say) {
      const { type, data, seq } = event;
      if (type === "RequestHeard" && data.request.kind === "reject") rejects.add(data.requestId);
      if (type === "RequestAnswered" && rejects.has(data.requestId) && data.answer.kind === "done")
        if (checked !== undefined) back.add(checked);
      if (type === "AttemptEnding" && data.to === "sent_back") back.add(data.attempt);
      if (type === "StepSucceeded" && back.has(data.attempt))
        say(`${data.attempt} was sent back and counts at ${String(seq)}`);
      const step = state.blocked?.step;
      if (step !== undefined && type !== "StepChecked") checked = state.steps[step]?.checking?.attempt;
    },
  };
}
