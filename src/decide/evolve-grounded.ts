import type { Effect, EffectOutcome } from "../model/effects.ts";
import type { EventData } from "../model/events.ts";
import type { GroundNews } from "../model/ground.ts";
import type { RunState } from "../model/run-state.ts";

interface At {
  readonly at: number;
}

/** Crashes that are remembered. */
const CRASHES_KEPT = 10;
const REMEMBERED = 50;

/** The part of the fold that concerns what a run shares with others, and its own crash guard. */
export const evolveGrounded = {
  GroundHeard(state: RunState, { ground, news }: EventData<"GroundHeard">): void {
    hearNews(state, ground, news);
  },
  LimitPassed(): void {
    // Told to people by the views; what goes on stands in the events that come with it.
  },
  AttemptPardoned(state: RunState, { attempt, step: name }: EventData<"AttemptPardoned">): void {
    state.pardoned = [...state.pardoned, attempt].slice(-REMEMBERED);
    const step = state.steps[name];
    if (step !== undefined && step.status !== "failed") step.charged = Math.max(0, step.charged - 1);
  },
  CrashGuardTripped(state: RunState, { until }: EventData<"CrashGuardTripped">, { at }: At): void {
    state.crashPause = until;
    state.crashTrippedAt = at;
  },
};

function hearNews(state: RunState, ground: string, news: GroundNews): void {
  const before = state.grounds[ground];
  const isSame = before !== undefined && before.news.pause?.id === news.pause?.id;
  state.grounds[ground] = { news, shownBy: isSame ? before.shownBy : [] };
}

export function noteCrash(state: RunState, at: number): void {
  state.crashes = [...state.crashes, at].slice(-CRASHES_KEPT);
}

export function forgetCrashes(state: RunState): void {
  state.crashes = [];
  state.crashPause = null;
}

export function noteIncidentTold(state: RunState, noticeId: string): void {
  const id = noticeId.slice(0, noticeId.lastIndexOf("/"));
  if (!state.incidentsTold.includes(id))
    state.incidentsTold = [...state.incidentsTold, id].slice(-REMEMBERED);
}

type Telling = Extract<Effect, { kind: "TellGround" }>;

export function intendTelling(state: RunState, { ground, fact }: Telling): void {
  state.groundTells += 1;
  const heard = state.grounds[ground];
  if (fact.kind === "worked" && heard !== undefined) heard.shownBy.push(fact.attempt);
}

/** Whoever tells something hears at once what became of it. */
export function settleTelling(state: RunState, { ground }: Telling, outcome: EffectOutcome): void {
  if (outcome.kind === "done" && outcome.news !== undefined) hearNews(state, ground, outcome.news);
}
