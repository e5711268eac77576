import type { RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** An instant at which time alone may change what a rule decides. */
export interface Due {
  readonly at: number;
  /** What happens then, for people; as the end of "due:". */
  readonly what?: string;
  /** Once it has passed it is due until somebody has acted; otherwise an instant that has passed was looked at then. */
  readonly stays?: boolean;
  /** It is named to people, and nobody needs to wake for it: somebody is at it, or another instant comes first. */
  readonly named?: "only";
}

/**
 * One thing that a run is looked at for. Everything that derives from rules derives from all of them: what is decided,
 * when a run has to be looked at next, and whether its owner may leave it. A rule that is added to the list is
 * complete.
 */
export interface Rule {
  readonly name: string;
  /** What follows from the state at a time; nothing where the next rule is to be asked. */
  readonly decide?: (state: RunState, now: number) => RunEvent[];
  /** The part of it that somebody may decide who does not watch the run. */
  readonly decideUnowned?: (state: RunState, now: number) => RunEvent[];
  readonly dueAt?: (state: RunState, now: number) => readonly Due[];
  /** Whether the owner of the run may not leave it now. */
  readonly holdsOpen?: (state: RunState, now: number) => boolean;
  /**
   * Whether something is still to be done for the run, at once or later: the one that asked for it sees to a
   * supervisor.
   */
  readonly owes?: (state: RunState) => boolean;
}

export type Rules = readonly Rule[];

/** An instant, or none where it is never. */
export const due = (at: number | null, more: Omit<Due, "at"> = {}): Due[] =>
  at === null || at === Infinity ? [] : [{ at, ...more }];
