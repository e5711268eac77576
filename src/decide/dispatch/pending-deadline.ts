import type { RunState } from "../../model/state/run-state.ts";
import { nextDeadline } from "./deadlines.ts";
import { RULES } from "../rules.ts";
import type { Rules } from "../rules/rule.ts";
import { wakesByItself } from "../attempt/live-sessions.ts";

/** Something that a run has to do at a known time, although nobody asks. */
export interface PendingDeadline {
  readonly at: number;
  /** What is due then, as the end of "due:". */
  readonly what: string;
}

/** The next deadline of a run, by name; null where nothing happens before somebody asks. */
export function pendingDeadline(state: RunState, now: number, rules: Rules = RULES): PendingDeadline | null {
  if (wakesByItself(state)) return { at: now, what: "its next turn" };
  const named = rules
    .flatMap((rule) => rule.dueAt?.(state, now) ?? [])
    .flatMap(({ at, what }) => (what === undefined ? [] : [{ at, what }]))
    .sort((one, other) => one.at - other.at);
  // What is overdue has not been acted on, since it would be gone otherwise; the next deadline leaves it out.
  const [first] = named;
  if (first !== undefined && first.at <= now) return first;
  const at = nextDeadline(state, now, rules);
  if (at === null) return null;
  return { at, what: named.find((one) => one.at <= at)?.what ?? "its next deadline" };
}
