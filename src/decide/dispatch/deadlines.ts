import type { RunState } from "../../model/state/run-state.ts";
import { RULES } from "../rules.ts";
import type { Rules } from "../rules/rule.ts";
import { rulesFor } from "../workspace/away.ts";

/**
 * The next instant after `now` at which time alone would change the judgement; null for never.
 * Derived, never stored (I5). Instants that have passed were judged already and are left out, but for what stays due.
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
