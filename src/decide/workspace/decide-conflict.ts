import type { Blocked } from "../../model/requests/blocked.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";

/**
 * Work that others have changed too is not taken in (W8). It is reported, with what can be done; the third time
 * somebody has to decide.
 */
export function decideConflict(state: RunState): RunEvent[] {
  const { conflict, settings, status } = state;
  if (!conflict.pending || conflict.times < settings.conflict.times) return [];
  if ((status !== "running" && status !== "paused") || state.blocked !== null) return [];
  // The one that is at work finishes first: what can be done about it needs a tree in which nobody works.
  if (Object.keys(state.attempts).length > 0) return [];
  const blocked = {
    reason: "conflict_loop",
    detail: `the run's work met changes of others ${String(conflict.times)} times: they have changed ${filesText(conflict.files)} too, ${String(overlapPct(state))} % of what it has changed`,
    attemptKept: false,
    guidance: [],
  } satisfies Blocked;
  return [{ type: "RunBlocked", data: { blocked } }];
}

const filesText = (files: readonly string[]): string =>
  `${files.slice(0, 5).join(", ")}${files.length > 5 ? ` and ${String(files.length - 5)} more` : ""}`;

/** How much of what the run has changed others have changed too. */
export function overlapPct({ conflict: { files, own }, overlap }: RunState): number {
  return shareOf(files.length, Math.max(own.length, overlap.own));
}

/** In percent; where nothing is known of the whole, something is all of it. */
export function shareOf(part: number, whole: number): number {
  if (whole === 0) return part === 0 ? 0 : 100;
  return Math.min(100, Math.round((100 * part) / whole));
}

/** A little in common is worked again on top of theirs; much of it is for a person to merge. */
export const isReworkAdvised = (state: RunState): boolean =>
  overlapPct(state) < state.settings.conflict.overlapPct;
