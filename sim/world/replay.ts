import { evolve } from "../../src/fold/evolve.ts";
import type { Recorded } from "../../src/model/events/events.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import type { RunStatus } from "../../src/model/state/run-status.ts";
import type { Witness } from "./witness.ts";

/** One event of a journal that is gone through again. */
export interface Moment {
  readonly event: Recorded;
  /** The status before it; null before the first event. */
  readonly was: RunStatus | null;
  /** Folded up to it. It changes with the next moment. */
  readonly state: RunState;
  /** Here a supervisor's turn is complete: what must follow from the state has followed. */
  readonly turnEnds: boolean;
}

export type Say = (text: string) => void;

/** Looks at each moment, with a memory of its own. */
export interface Watcher {
  see(moment: Moment, say: Say): void;
  end?(state: RunState, say: Say): void;
}

export type Watch = (witness: Witness) => Watcher;

/** Shows a journal to all watchers, and gives what they say and the state it ends in. */
export function replay(
  events: readonly Recorded[],
  witness: Witness,
  watches: Readonly<Record<string, Watch>>,
): { readonly said: string[]; readonly state: RunState | null } {
  const said: string[] = [];
  const watchers = Object.entries(watches).map(([name, watch]) => ({
    watcher: watch(witness),
    say: (text: string): void => void said.push(`${name}: ${text}`),
  }));
  const turns = new Set((witness.acknowledged.get(events[0]?.run ?? "") ?? []).map(([seq]) => seq));
  let state: RunState | null = null;
  for (const event of events) {
    const was: RunStatus | null = state?.status ?? null;
    state = evolve(state, event, event);
    const moment = { event, was, state, turnEnds: turns.has(event.seq) };
    for (const { watcher, say } of watchers) watcher.see(moment, say);
  }
  if (state !== null) for (const { watcher, say } of watchers) watcher.end?.(state, say);
  return { said, state };
}

export const stepOfAttempt = (attempt: string): string => attempt.split("#")[0] ?? attempt;
