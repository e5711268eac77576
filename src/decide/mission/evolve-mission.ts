import type { CONTINUOUS_EVENTS } from "../../model/continuous/continuous-events.ts";
import type { EventData, RunEvent, RunEventOf } from "../../model/events/events.ts";
import { enterEvent, type EventPlace } from "../continuous/enter-event.ts";
import { MISSION_EVENTS } from "../../model/mission/mission-events.ts";
import type { MissionState, WorkstreamRun, WorkstreamState } from "../../model/mission/mission-state.ts";
import { EVOLVE_ACCEPTANCE, goalOf } from "./evolve-acceptance.ts";
import { queued, replan } from "./evolve-replan.ts";
import { nothingSpent } from "../../model/requests/budget.ts";
import { isWorking } from "../../model/state/run-status.ts";

export const newMission = (name: string): MissionState => ({
  name,
  seq: 0,
  at: 0,
  spec: null,
  begunAt: 0,
  by: "",
  goals: {},
  barriers: {},
  autopilot: null,
  autopilotStop: null,
  wave: null,
  retries: {},
  acceptance: null,
  replans: 0,
  pushed: {},
  pause: null,
  stop: null,
  end: null,
  requests: [],
  runs: 0,
  today: { day: "", runs: 0, timeMs: 0 },
});

/** Runs are seen, asked and paid as those of a session. */
const OF_RUNS = [
  "GoalSeen",
  "AllowanceRaised",
  "RunsAsked",
] as const satisfies readonly (keyof typeof CONTINUOUS_EVENTS)[];
type MissionEvent = RunEventOf<keyof typeof MISSION_EVENTS | (typeof OF_RUNS)[number]>;

const isOfMission = (event: RunEvent): event is MissionEvent =>
  Object.hasOwn(MISSION_EVENTS, event.type) || (OF_RUNS as readonly string[]).includes(event.type);

/** Folds one event of a mission's journal, in place. What it does not know changes nothing. */
export function evolveMission(state: MissionState, event: RunEvent, place: EventPlace): void {
  enterEvent(state, place);
  if (!isOfMission(event)) return;
  const { request } = event.data as { readonly request?: string };
  if (request !== undefined && !state.requests.includes(request)) remember(state, request);
  EVOLVE[event.type](state, event.data as never, place.at);
}

/** Enough for those that may be asked again: a server that was killed is asked the same within minutes. */
const REQUESTS_KEPT = 500;

function remember({ requests }: MissionState, request: string): void {
  requests.push(request);
  if (requests.length > REQUESTS_KEPT) requests.shift();
}

type Evolve = {
  readonly [Type in MissionEvent["type"]]: (state: MissionState, data: EventData<Type>, at: number) => void;
};

const EVOLVE: Evolve = {
  MissionBegun(state, { by, spec }, at) {
    Object.assign(state, { spec, by, begunAt: at });
    for (const [order, goal] of spec.workstreams.entries()) state.goals[goal.id] = queued(goal, order);
  },
  MissionReplanned: replan,
  WorkPushed({ pushed }, { repository, commit }) {
    pushed[repository] = commit;
  },
  WorkstreamLaunched: launch,
  GoalSeen: see,
  AllowanceRaised(state, data) {
    const run = runOf(state, data.goal, data.run);
    if (run !== undefined) run.allowance = data.allowance;
  },
  RunsAsked(state, { what, runs }) {
    for (const { runs: all } of Object.values(state.goals))
      for (const run of all) if (runs.includes(run.run)) run.asked = { what, seq: state.seq };
  },
  WorkstreamFinished(state, { workstream, run, work }, at) {
    const goal = goalOf(state, workstream);
    if (goal === undefined) return;
    endRun(goal, run, { kind: "done", text: "done", at });
    // Other work than what was accepted, or shown for approval, is to be accepted again.
    if (goal.work?.commit !== work.commit) goal.accepted = null;
    Object.assign(goal, { status: "ended", work, end: { kind: "done", text: "done", at } });
  },
  WorkstreamFailed(state, { workstream, run, end, text }, at) {
    const goal = goalOf(state, workstream);
    if (goal === undefined) return;
    endRun(goal, run, { kind: end, text, at });
    Object.assign(goal, { status: "ended", end: { kind: end, text, at } });
  },
  WorkstreamSkipped(state, { workstream, by }, at) {
    const goal = goalOf(state, workstream);
    if (goal !== undefined)
      Object.assign(goal, { status: "ended", end: { kind: "skipped", text: `skipped by ${by}`, at } });
  },
  BarrierOpened(state, { barrier, by = null }, at) {
    state.barriers[barrier] ??= { at, by };
  },
  AutopilotSet(state, { autopilot, by }, at) {
    state.autopilot = { ...autopilot, by, since: at };
    state.autopilotStop = null;
    for (const id of Object.keys(state.retries)) Reflect.deleteProperty(state.retries, id);
  },
  AutopilotStopped(state, { reason, text }, at) {
    state.autopilotStop = { reason, text, at };
    state.autopilot = null;
  },
  WaveBegun(state, { wave, workstreams }) {
    state.wave = { number: wave, workstreams };
  },
  ...EVOLVE_ACCEPTANCE,
  MissionPaused(state, { by }, at) {
    state.pause = { by, at };
  },
  MissionResumed(state) {
    state.pause = null;
    state.stop = null;
  },
  MissionStopped(state, { by }, at) {
    state.stop = { by, at, seq: state.seq };
  },
  MissionEnded(state, { text }, at) {
    state.end = { text, at };
  },
};

function launch(state: MissionState, data: EventData<"WorkstreamLaunched">, at: number): void {
  const goal = goalOf(state, data.workstream);
  if (goal === undefined) return;
  const { run, allowance, by, wave, retry, on, handed } = data;
  const nothing = { status: null, waits: null, ghost: null, failure: null, asked: null, end: null } as const;
  goal.runs.push({
    run,
    allowance,
    spent: nothingSpent(),
    days: [],
    seenAt: at,
    ...nothing,
    at,
    by,
    wave,
    retry,
    on,
    handed,
  });
  Object.assign(goal, { status: "issued", end: null, work: null, accepted: null, asked: null });
  if (retry && wave !== null) state.retries[data.workstream] = (state.retries[data.workstream] ?? 0) + 1;
  state.runs += 1;
  state.today.runs += 1;
}

function see(state: MissionState, data: EventData<"GoalSeen">, at: number): void {
  const run = runOf(state, data.goal, data.run);
  if (run === undefined) return;
  state.today.timeMs += Math.max(0, data.spent.timeMs - run.spent.timeMs);
  const { status, spent, days, waits = null, ghost = null, failure = null } = data;
  Object.assign(run, { status, spent, days, waits, ghost, failure, seenAt: at });
  if (run.asked?.what === "resume" && isWorking(status)) run.asked = null;
}

function endRun(goal: WorkstreamState, run: string, end: NonNullable<WorkstreamRun["end"]>): void {
  const found = goal.runs.find((one) => one.run === run);
  if (found !== undefined) found.end = end;
}

const runOf = (state: MissionState, id: string, run: string): WorkstreamRun | undefined =>
  goalOf(state, id)?.runs.find((one) => one.run === run);
