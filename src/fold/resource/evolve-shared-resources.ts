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
  GroundHeard(state: RunState, { ground: resource, news }: EventData<"GroundHeard">): void {
    noteNews(state, resource, news);
  },
  LimitPassed(): void {
    // Shown to people by the views; what goes on stands in the events that come with it.
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

function noteNews(state: RunState, resource: string, news: SharedResourceNews): void {
  const before = state.sharedResources[resource];
  const isSame = before !== undefined && before.news.pause?.id === news.pause?.id;
  state.sharedResources[resource] = {
    news,
    shownBy: isSame ? before.shownBy : [],
    ...waivedOf(state, resource, news),
  };
}

/** Who lets a run go on that nobody works does so before it learns of the pause: that one is meant too. */
function waivedOf(state: RunState, resource: string, { pause }: SharedResourceNews): { waived?: number } {
  if (pause === null) return {};
  const isKnown = state.sharedResources[resource]?.waived === pause.id;
  const { letGoAt } = state.workspace;
  const isMeant = resource === repositoryOf(state) && letGoAt !== null && pause.since <= letGoAt;
  return isKnown || isMeant ? { waived: pause.id } : {};
}

export function noteCrash(state: RunState, at: number): void {
  state.crashes = [...state.crashes, at].slice(-CRASHES_KEPT);
}

/** A person lets the run go on: it waits neither for its crash guard nor for its repository, which may be mended. */
export function forgetHolds(state: RunState, at: number): void {
  state.crashes = [];
  state.crashPause = null;
  const known = state.sharedResources[repositoryOf(state) ?? ""];
  if (known?.news.pause) known.waived = known.news.pause.id;
  state.workspace.letGoAt = at;
}

export function noteIncidentReported(state: RunState, noticeId: string): void {
  const id = noticeId.slice(0, noticeId.lastIndexOf("/"));
  if (!state.incidentsReported.includes(id))
    state.incidentsReported = [...state.incidentsReported, id].slice(-REMEMBERED);
}

type Publishing = Extract<Effect, { kind: "TellGround" }>;

export function intendPublishing(state: RunState, { ground: resource, fact }: Publishing, at: number): void {
  state.resourceReports += 1;
  if (fact.kind === "spent") noteReport(state, fact.used, at);
  const known = state.sharedResources[resource];
  if (fact.kind === "worked" && known !== undefined) known.shownBy.push(fact.attempt);
  if (isOfPlace(fact) && state.workspace.unready !== null) state.workspace.unready.notified = true;
}

const isOfPlace = ({ kind, attempt }: SharedResourceFact): boolean => kind === "broken" && attempt === PLACE;

/** The run that reports something learns at once what became of it. */
export function settlePublishing(
  state: RunState,
  { ground: resource, fact }: Publishing,
  { outcome, at }: { readonly outcome: EffectOutcome; readonly at: number },
): void {
  if (fact.kind === "spent") settleReport(state, fact.used, outcome.kind === "done");
  if (outcome.kind !== "done" || outcome.news === undefined) return;
  // The run that was allowed to go on has tried in vain: its next try waits like those of others.
  if (fact.kind === "broken") {
    state.workspace.letGoAt = null;
    delete state.sharedResources[resource]?.waived;
  }
  noteNews(state, resource, outcome.news);
  const { pause } = outcome.news;
  const isWaitedFor =
    pause !== null && pause.about === PLACE && pause.reopenedAt === null && at < pause.until;
  // The repository is to blame: it is tried again when its pause is over, and nobody is asked before.
  if (isOfPlace(fact) && isWaitedFor) state.workspace.failures = 0;
}
