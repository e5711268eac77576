import { closeRule } from "./close-rule.ts";
import type { ContinuousFacts, ContinuousRule } from "./continuous-facts.ts";
import { decidedTurn, firstDecision } from "./decided-turn.ts";
import { evolveContinuous } from "./evolve-continuous.ts";
import { digestRule } from "./digest-rule.ts";
import { intakeRule } from "./intake-rule.ts";
import { issueRule } from "./issue-rule.ts";
import { planRule } from "./plan-rule.ts";
import { blockingRuns, raiseRule } from "./raise-rule.ts";
import { seeRule, settleRule } from "./settle-rules.ts";
import { stopRule } from "./stop-rule.ts";
import { triggerRule } from "./trigger-rule.ts";
import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { RunEvent } from "../../model/events/events.ts";

/** In this order; the first that has something to decide does. */
const RULES: readonly ContinuousRule[] = [
  seeRule,
  settleRule,
  stopRule,
  blockRule,
  digestRule,
  intakeRule,
  triggerRule,
  planRule,
  raiseRule,
  closeRule,
  issueRule,
];

/** The next decision about a session; nothing where it waits, or is over. */
export const decideContinuous = (state: ContinuousState, facts: ContinuousFacts): RunEvent[] =>
  firstDecision(RULES, state, facts);

/** One turn without its append: decides until nothing follows. The state is changed in place. */
export const turnOf = (
  state: ContinuousState,
  facts: ContinuousFacts,
  decide: typeof decideContinuous = decideContinuous,
): RunEvent[] => decidedTurn({ decide, evolve: evolveContinuous }, state, facts);

/** A run that waits for a person pauses the session, until it does not wait any more. */
function blockRule(state: ContinuousState): RunEvent[] {
  if (state.stop !== null || state.spec?.onBlocked !== "pause") return [];
  const [blocking] = blockingRuns(state);
  const { pause } = state;
  if (pause === null && blocking !== undefined)
    return [{ type: "ContinuousPaused", data: { why: "blocked", run: blocking.run } }];
  if (pause?.why !== "blocked" || pause.run === blocking?.run) return [];
  return blocking === undefined
    ? [{ type: "ContinuousResumed", data: { why: "unblocked" } }]
    : [{ type: "ContinuousPaused", data: { why: "blocked", run: blocking.run } }];
}
