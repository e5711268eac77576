import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { EventData } from "../../model/events/events.ts";
import type { SharedResourceFact, SharedResourceNews } from "../../model/host/shared-resource.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { PLACE, repositoryOf } from "./repository.ts";
import { noteReport, settleReport } from "./spent-today.ts";

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
  CrashGuardTripped(
    state: RunState,
    { until }: EventData<"CrashGuardTripped">,
    { at }: { readonly at: number },
  ): void {
    state.crashPause = until;
    state.crashTrippedAt = at;
  },
};

function hearNews(state: RunState, ground: string, news: SharedResourceNews): void {
  const before = state.grounds[ground];
  const isSame = before !== undefined && before.news.pause?.id === news.pause?.id;
  state.grounds[ground] = { news, shownBy: isSame ? before.shownBy : [], ...waivedOf(state, ground, news) };
}

/** Who lets a run go on that nobody works does so before it hears of the pause: that one is meant too. */
function waivedOf(state: RunState, ground: string, { pause }: SharedResourceNews): { waived?: number } {
  if (pause === null) return {};
  const isKnown = state.grounds[ground]?.waived === pause.id;
  const { letGoAt } = state.workspace;
  const isMeant = ground === repositoryOf(state) && letGoAt !== null && pause.since <= letGoAt;
  return isKnown || isMeant ? { waived: pause.id } : {};
}

export function noteCrash(state: RunState, at: number): void {
  state.crashes = [...state.crashes, at].slice(-CRASHES_KEPT);
}

/** A person lets the run go on: it waits neither for its crash guard nor for its repository, which may be mended. */
export function forgetHolds(state: RunState, at: number): void {
  state.crashes = [];
  state.crashPause = null;
  const heard = state.grounds[repositoryOf(state) ?? ""];
  if (heard?.news.pause) heard.waived = heard.news.pause.id;
  state.workspace.letGoAt = at;
}

export function noteIncidentTold(state: RunState, noticeId: string): void {
  const id = noticeId.slice(0, noticeId.lastIndexOf("/"));
  if (!state.incidentsTold.includes(id))
    state.incidentsTold = [...state.incidentsTold, id].slice(-REMEMBERED);
}

type Telling = Extract<Effect, { kind: "TellGround" }>;

export function intendPublishing(state: RunState, { ground, fact }: Telling, at: number): void {
  state.groundTells += 1;
  if (fact.kind === "spent") noteReport(state, fact.used, at);
  const heard = state.grounds[ground];
  if (fact.kind === "worked" && heard !== undefined) heard.shownBy.push(fact.attempt);
  if (isOfPlace(fact) && state.workspace.unready !== null) state.workspace.unready.told = true;
}

const isOfPlace = ({ kind, attempt }: SharedResourceFact): boolean => kind === "broken" && attempt === PLACE;

/** Whoever tells something hears at once what became of it. */
export function settlePublishing(
  state: RunState,
  { ground, fact }: Telling,
  { outcome, at }: { readonly outcome: EffectOutcome; readonly at: number },
): void {
  if (fact.kind === "spent") settleReport(state, fact.used, outcome.kind === "done");
  if (outcome.kind !== "done" || outcome.news === undefined) return;
  // Whoever was let go on has tried, and it was to no avail: the next try waits as those of others do.
  if (fact.kind === "broken") {
    state.workspace.letGoAt = null;
    delete state.grounds[ground]?.waived;
  }
  hearNews(state, ground, outcome.news);
  const { pause } = outcome.news;
  const isWaitedFor =
    pause !== null && pause.about === PLACE && pause.reopenedAt === null && at < pause.until;
  // The repository is to blame: it is tried anew when its pause is over, and nobody is asked before.
  if (isOfPlace(fact) && isWaitedFor) state.workspace.failures = 0;
}
