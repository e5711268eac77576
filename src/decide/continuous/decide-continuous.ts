import { closeRule } from "./close-rule.ts";
import type { ContinuousFacts, ContinuousRule } from "./continuous-facts.ts";
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
import { invariant } from "../../model/fault.ts";

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
export function decideContinuous(state: ContinuousState, facts: ContinuousFacts): RunEvent[] {
  if (state.spec === null || state.end !== null) return [];
  for (const rule of RULES) {
    const events = rule(state, facts);
    if (events.length > 0) return events;
  }
  return [];
}

/** No real turn comes near it; a rule that never falls silent does (I7). */
const DECISIONS_MAX = 10_000;

/** One turn without its append: decides until nothing follows. The state is changed in place. */
export function turnOf(
  state: ContinuousState,
  facts: ContinuousFacts,
  decide: typeof decideContinuous = decideContinuous,
): RunEvent[] {
  const events: RunEvent[] = [];
  for (;;) {
    const decided = decide(state, facts);
    if (decided.length === 0) return events;
    for (const event of decided) {
      events.push(event);
      evolveContinuous(state, event, { seq: state.seq + 1, at: facts.now });
    }
    invariant(events.length < DECISIONS_MAX, `a turn of the session ${state.name} does not come to an end`);
  }
}

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
