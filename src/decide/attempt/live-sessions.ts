import { isManual } from "../../fold/attempt/live-wait.ts";
import { WAKING_STOPS } from "../recovery/state-table.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { suspendAttempt } from "./quarantine.ts";

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
 * What has to be heard before the run can be let go: one at work is stopped, one that waits for somebody stays as it is,
 * without its sessions. Where the store is stopped, the run's own rules suspend them.
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
