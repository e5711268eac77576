import type { RunEvent } from "../model/events/events.ts";
import type { RunState } from "../model/state/run-state.ts";
import { withNews } from "./requests/news.ts";
import { RULES } from "./rules.ts";
import { isAway, rulesFor } from "./workspace/away.ts";
import type { Rules } from "./rules/rule.ts";

/**
 * Decision: what follows from the state at a given time. Level-triggered (I3): it looks at what is, not at what
 * has just happened, and may be asked at any moment. The caller folds the answer and asks again until it is empty.
 */
export function decide(state: RunState, now: number, rules: Rules = RULES): RunEvent[] {
  // A workflow function is decided by the program that runs it.
  if (state.kind === "program") return [];
  for (const rule of rulesFor(state, rules)) {
    const events = rule.decide?.(state, now) ?? [];
    if (events.length > 0) return withNews(state, events, now);
  }
  return [];
}

/** The part that somebody may decide who does not watch the run: answers, and a stop that waits for nothing. */
export function decideRequests(state: RunState, now: number, rules: Rules = RULES): RunEvent[] {
  // Where the files are not, only the owner knows whether they can be had.
  if (isAway(state)) return [];
  for (const rule of rules) {
    const events = rule.decideUnowned?.(state, now) ?? [];
    if (events.length > 0) return withNews(state, events, now);
  }
  return [];
}

/** True when the owner may let go: nothing lives, nothing is open, and nothing is due. What is due later wakes it. */
export const isAtRest = (state: RunState, now: number, rules: Rules = RULES): boolean =>
  !rulesFor(state, rules).some((rule) => rule.holdsOpen?.(state, now) === true);

/**
 * Whether something is still to be done for the run, at once or later: the one that asked for it sees to a supervisor.
 */
export const isOwed = (state: RunState, rules: Rules = RULES): boolean =>
  state.kind === "supervised" && rules.some((rule) => rule.owes?.(state) === true);
