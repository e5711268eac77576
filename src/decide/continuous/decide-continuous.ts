import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { ContinuousFacts, ContinuousRule } from "./continuous-facts.ts";
import { closeRule } from "./close-rule.ts";
import { intakeRule } from "./intake-rule.ts";
import { issueRule } from "./issue-rule.ts";
import { blockRule, stopRule } from "./pause-rules.ts";
import { raiseRule } from "./raise-rule.ts";
import { triggerRule } from "./trigger-rule.ts";
import { seeRule, settleRule } from "./settle-rules.ts";

/** In this order; the first that has something to decide does. */
const RULES: readonly ContinuousRule[] = [
  seeRule,
  settleRule,
  stopRule,
  blockRule,
  intakeRule,
  triggerRule,
  raiseRule,
  closeRule,
  issueRule,
];

/** The next decision about a session; nothing where it waits, or is over. */
export function decideContinuous(state: ContinuousState, facts: ContinuousFacts): RunEvent[] {
  if (state.spec === null || state.end !== null) return [];
  for (const rule of RULES) {
    const events = rule(state, facts);
    if (events.length > 0) return events;
  }
  return [];
}
