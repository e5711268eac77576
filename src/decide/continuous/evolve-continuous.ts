import { CONTINUOUS_EVENTS } from "../../model/continuous/continuous-events.ts";
import type { ContinuousState, GoalRun, GoalState } from "../../model/continuous/continuous-state.ts";
import type { Goal } from "../../model/continuous/continuous-spec.ts";
import type { EventData, RunEvent, RunEventOf } from "../../model/events/events.ts";
import { dayOf } from "../../model/text/utc-day.ts";
import { enterEvent, type EventPlace } from "./enter-event.ts";
import { nothingSpent } from "../../model/requests/budget.ts";
import { isWorking } from "../../model/state/run-status.ts";

export const newContinuous = (name: string): ContinuousState => ({
  name,
  seq: 0,
  at: 0,
  spec: null,
  begunAt: 0,
  by: "",
  goals: {},
  triggers: {},
  pause: null,
  stop: null,
  end: null,
  intake: { readAt: null, idleRounds: 0, problems: [] },
  plan: { count: 0, evidence: null },
  digest: { day: null, at: 0, open: [], undelivered: [] },
  requests: [],
  movedAt: 0,
  runs: 0,
  today: { day: "", runs: 0, timeMs: 0 },
});

type ContinuousEvent = RunEventOf<keyof typeof CONTINUOUS_EVENTS>;

const isContinuous = (event: RunEvent): event is ContinuousEvent =>
  Object.hasOwn(CONTINUOUS_EVENTS, event.type);

/** Folds one event of a session's journal, in place. What it does not know changes nothing. */
export function evolveContinuous(state: ContinuousState, event: RunEvent, place: EventPlace): void {
  enterEvent(state, place);
  if (!isContinuous(event)) return;
  if ("request" in event.data && event.data.request !== undefined) remember(state, event.data.request);
  evolve(state, event, place.at);
}

const REQUESTS_KEPT = 500;

function remember({ requests }: ContinuousState, request: string): void {
  requests.push(request);
  if (requests.length > REQUESTS_KEPT) requests.shift();
}

function evolve(state: ContinuousState, event: ContinuousEvent, at: number): void {
  switch (event.type) {
    case "ContinuousBegun":
      Object.assign(state, { spec: event.data.spec, by: event.data.by, begunAt: at, movedAt: at });
      return;
    case "IntakeRead":
      return readIntake(state, event.data, at);
    case "GoalTriggered":
      return trigger(state, event.data, at);
    case "PlanWanted":
      return wantPlan(state, event.data);
    case "PlanAnswered":
      for (const goal of event.data.goals) if (!Object.hasOwn(state.goals, goal.id)) queue(state, goal);
      if (event.data.goals.length > 0) state.intake = { ...state.intake, idleRounds: 0 };
      return;
    case "GoalIssued":
      return issue(state, event.data, at);
    case "GoalSeen":
      return see(state, event.data, at);
    case "GoalReturned":
      return giveBack(state, event.data, at);
    case "AllowanceRaised": {
      const run = runOf(state, event.data);
      if (run !== undefined) run.allowance = event.data.allowance;
      return;
    }
    case "GoalEnded":
      return endGoal(state, event.data, at);
    case "RunsAsked":
      for (const goal of Object.values(state.goals))
        for (const run of goal.runs)
          if (event.data.runs.includes(run.run)) run.asked = { what: event.data.what, seq: state.seq };
      return;
    case "DigestQueued":
      return queueDigest(state, event.data, at);
    case "DigestTried":
      return noteDigest(state, event.data);
    case "ContinuousPaused": {
      const { why, by = null, run = null } = event.data;
      state.pause = { why, by, run, at };
      return;
    }
    case "ContinuousResumed":
      state.pause = null;
      state.stop = null;
      return;
    case "ContinuousStopped":
      state.stop = { by: event.data.by, at, seq: state.seq };
      return;
    case "ContinuousEnded": {
      const { end, text, left } = event.data;
      state.end = { kind: end, text, left, at };
    }
  }
}

function readIntake(
  state: ContinuousState,
  { goals, problems, idle }: EventData<"IntakeRead">,
  at: number,
): void {
  for (const goal of goals) {
    if (Object.hasOwn(state.goals, goal.id) || Object.hasOwn(state.triggers, goal.id)) continue;
    if (goal.everyMs === undefined && goal.cron === undefined) queue(state, goal);
    else state.triggers[goal.id] = { goal, lastDueAt: null, last: null };
  }
  const idleRounds = idle && goals.length === 0 ? state.intake.idleRounds + 1 : 0;
  state.intake = { readAt: at, idleRounds, problems };
}

function queue(state: ContinuousState, goal: Goal, isPlan = false): void {
  const order = Object.keys(state.goals).length;
  const fresh = { status: "queued", notBefore: 0, runs: [], ghosts: [], end: null } as const;
  state.goals[goal.id] = { goal, isPlan, order, ...fresh, runs: [], ghosts: [] };
}

function wantPlan(state: ContinuousState, { goal: id, evidence }: EventData<"PlanWanted">): void {
  const { vision = "the vision", planner } = state.spec?.idle ?? {};
  const goal = { id, goal: `choose the next goals by ${vision}`, priority: 0 };
  queue(state, planner === undefined ? goal : { ...goal, agent: planner }, true);
  state.plan = { count: state.plan.count + 1, evidence };
}

function queueDigest(
  { digest }: ContinuousState,
  { notice, channels }: EventData<"DigestQueued">,
  at: number,
): void {
  const open = channels.map((channel) => ({ notice, channel, tries: 0, notBefore: at }));
  Object.assign(digest, { day: dayOf(at), at, open, undelivered: [] });
}

function noteDigest({ digest }: ContinuousState, data: EventData<"DigestTried">): void {
  const { id, channel, delivered, text, notBefore } = data;
  const tried = digest.open.find((one) => one.notice.id === id && one.channel === channel);
  if (tried === undefined) return;
  tried.tries += 1;
  tried.notBefore = notBefore ?? Infinity;
  if (notBefore !== undefined) return;
  digest.open = digest.open.filter((one) => one !== tried);
  if (!delivered) digest.undelivered.push({ channel, text });
}

function trigger(state: ContinuousState, data: EventData<"GoalTriggered">, at: number): void {
  const found = Object.hasOwn(state.triggers, data.trigger) ? state.triggers[data.trigger] : undefined;
  if (found === undefined || Object.hasOwn(state.goals, data.goal)) return;
  const goal = { ...found.goal, id: data.goal };
  delete goal.everyMs;
  delete goal.cron;
  queue(state, goal);
  found.lastDueAt = data.dueAt;
  found.last = data.goal;
  state.movedAt = at;
}

function issue(state: ContinuousState, { goal, run, allowance }: EventData<"GoalIssued">, at: number): void {
  const issued = goalOf(state, goal);
  if (issued === undefined) return;
  issued.status = "issued";
  const nothing = { status: null, waits: null, ghost: null, failure: null, asked: null } as const;
  issued.runs.push({ run, allowance, spent: nothingSpent(), days: [], seenAt: at, ...nothing });
  state.runs += 1;
  state.today.runs += 1;
  state.movedAt = at;
}

function see(state: ContinuousState, data: EventData<"GoalSeen">, at: number): void {
  const run = runOf(state, data);
  if (run === undefined) return;
  state.today.timeMs += Math.max(0, data.spent.timeMs - run.spent.timeMs);
  const { status, spent, days, waits = null, ghost = null, failure = null } = data;
  Object.assign(run, { status, spent, days, waits, ghost, failure, seenAt: at });
  // It goes on: what it is asked from now on is a new question.
  if (run.asked?.what === "resume" && isWorking(status)) run.asked = null;
}

function giveBack(state: ContinuousState, data: EventData<"GoalReturned">, at: number): void {
  const goal = goalOf(state, data.goal);
  if (goal === undefined) return;
  goal.status = "queued";
  goal.notBefore = data.notBefore;
  goal.ghosts.push(data.ghost);
  state.movedAt = at;
}

function endGoal(state: ContinuousState, { goal, end, text }: EventData<"GoalEnded">, at: number): void {
  const ended = goalOf(state, goal);
  if (ended === undefined || ended.status === "ended") return;
  ended.status = "ended";
  ended.end = { kind: end, text, at };
  state.movedAt = at;
}

const goalOf = (state: ContinuousState, id: string): GoalState | undefined =>
  Object.hasOwn(state.goals, id) ? state.goals[id] : undefined;

const runOf = (
  state: ContinuousState,
  { goal, run }: { readonly goal: string; readonly run: string },
): GoalRun | undefined => goalOf(state, goal)?.runs.find((one) => one.run === run);
