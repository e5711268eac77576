import { wakesByItself } from "../attempt/quarantine.ts";
import { RULES } from "../rules.ts";
import type { Rules } from "../rules/rule.ts";
import { rulesFor } from "../workspace/away.ts";
import type { RunState } from "../../model/state/run-state.ts";

/**
 * The next instant after `now` at which time alone would change the decision; null for never.
 * Derived, never stored (I5). Instants that have passed were assessed already and are left out, but for what stays due.
 */
export function nextDeadline(state: RunState, now: number, rules: Rules = RULES): number | null {
  let earliest = Infinity;
  for (const rule of rulesFor(state, rules))
    for (const { at: due, stays, named } of rule.dueAt?.(state, now) ?? []) {
      if (named === "only") continue;
      const at = stays === true ? Math.max(due, now + 1) : due;
      if (at > now && at < earliest) earliest = at;
    }
  return earliest === Infinity ? null : earliest;
}

/** Something that a run has to do at a known time, although nobody asks. */
interface PendingDeadline {
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
