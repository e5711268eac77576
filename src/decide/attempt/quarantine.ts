import { WAKING_STOPS } from "../recovery/state-table.ts";
import { AWAY_PERFORMED, isAway } from "../workspace/away.ts";
import {
  askedSince,
  asksItself,
  asksPeople,
  hasLoopVerdict,
  isLiveWait,
  isManual,
} from "../../fold/attempt/live-wait.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";

/**
 * Quarantine: a run in whose turns supervisors end, twice in a row without progress in between, is blocked by name, so
 * that the others continue. Its sessions are ended and people are notified; nothing else of it is carried out. If a
 * supervisor ends even then, the run is left alone altogether until a person asks something of it.
 */
const QUARANTINED_AT = 2;
const LEFT_ALONE_AT = 3;

const deathsInARow = ({ claim }: RunState): number => claim.deaths?.inARow ?? 0;

/** May be asked alone, where nothing else of a run can be decided without ending the supervisor. */
export function quarantineRule(state: RunState): RunEvent[] {
  const { claim, status } = state;
  const isWorking = status === "queued" || status === "running" || status === "pausing";
  if (claim.deaths === undefined || deathsInARow(state) < QUARANTINED_AT || !isWorking) return [];
  const { inARow, last } = claim.deaths;
  const detail = `supervisors ended in a turn of this run ${String(inARow)} times in a row without progress, the last time by ${HOW[last.how]}: ${last.text}`;
  return [
    {
      type: "RunBlocked",
      data: { blocked: { reason: "quarantined", detail, attemptKept: false, guidance: [] } },
    },
  ];
}

const HOW = { exception: "an exception", exit: "an exit", abort: "an abort" } as const;

/** An agent may give any reason: it is the supervisors' deaths that count. */
const isQuarantined = (state: RunState): boolean =>
  state.blocked?.reason === "quarantined" && deathsInARow(state) >= QUARANTINED_AT;

/** Not even its end could be decided. */
export const isLeftAlone = (state: RunState): boolean => deathsInARow(state) >= LEFT_ALONE_AT;

const STILL_PERFORMED: ReadonlySet<Effect["kind"]> = new Set(["EndAgent", "Notify"]);

/** What is intended and may be carried out; the rest waits until a person has looked. */
export function effectsToPerform(state: RunState): Readonly<Record<string, Effect>> {
  const performed = isAway(state) ? AWAY_PERFORMED : isQuarantined(state) ? STILL_PERFORMED : null;
  if (performed === null) return state.effects;
  return Object.fromEntries(Object.entries(state.effects).filter(([, { kind }]) => performed.has(kind)));
}

/** When the session of an attempt is suspended; null while the run needs nobody, and for people's own work. */
export function suspendAt(state: RunState, attempt: AttemptState): number | null {
  if (!asksPeople(state) || isManual(state, attempt)) return null;
  const since = askedSince(state, attempt);
  if (hasLoopVerdict(attempt) || isQuarantined(state)) return since;
  const { turnMs, waitMs } = state.settings.suspend;
  if (isLiveWait(state, attempt)) return since + waitMs;
  // Nobody has to be ended whose turn is over: agents end with it, and a program in a terminal is left by its driver.
  return asksItself(state, attempt) ? since : since + turnMs;
}

/** Why the session is to be suspended now; null where it is not. */
export function whySuspend(state: RunState, attempt: AttemptState, now: number): string | null {
  const due = suspendAt(state, attempt);
  if (due === null || now < due) return null;
  return `the run waits for people (${state.blocked?.reason ?? state.status}); its session is suspended`;
}

export const suspendAttempt = ({ id }: Pick<AttemptState, "id">, why: string): RunEvent => ({
  type: "AttemptEnding",
  data: { attempt: id, to: "suspended", why },
});

const SESSION_EFFECTS: ReadonlySet<Effect["kind"]> = new Set([
  "StartAgent",
  "EndAgent",
  "AskReview",
  "AskTriage",
]);

/** Whether a session of the run may be alive: an agent's, a reviewer's, or of one that was asked about another. */
export const hasSessions = (state: RunState): boolean =>
  Object.values(state.attempts).some((attempt) => !isManual(state, attempt)) ||
  Object.values(state.effects).some((effect) => SESSION_EFFECTS.has(effect.kind));

/** Suspends every session of a run that waits for somebody, and leaves the run as it is. */
const suspendSessions = (state: RunState): RunEvent[] =>
  Object.values(state.attempts)
    .filter((attempt) => attempt.ending === null && attempt.exit === null && !isManual(state, attempt))
    .map((attempt) => suspendAttempt(attempt, "the supervisor was asked to end all sessions"));

/** Why an owner lets go of a run as soon as no session of it is left. */
export type Leaving = "stop_agents" | "store_stopped";

/**
 * What has to be received before the run can be let go: one at work is stopped, one that waits for somebody stays as it
 * is, without its sessions. Where the store is stopped, the run's own rules suspend them.
 */
export function leavingEvents(state: RunState, leaving: Leaving | null): RunEvent[] {
  if (leaving !== "stop_agents" || state.status === "pausing") return [];
  if (state.status === "running" || state.status === "queued")
    return [{ type: "RunStopping", data: { to: "paused", stop: "shutdown" } }];
  return suspendSessions(state);
}

export function mayLeave(state: RunState, leaving: Leaving | null): boolean {
  const isAtWork = state.status === "running" || state.status === "pausing";
  return leaving !== null && (leaving === "store_stopped" || !isAtWork) && !hasSessions(state);
}

/** Stops that were not meant for the run end with the next owner (G2). */
export const wakesByItself = (state: RunState): boolean =>
  state.status === "paused" && state.stop !== null && WAKING_STOPS.includes(state.stop);
