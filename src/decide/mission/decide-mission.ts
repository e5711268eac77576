import { raiseRule } from "../continuous/raise-rule.ts";
import { seeRule } from "../continuous/settle-rules.ts";
import { stopRule } from "../continuous/stop-rule.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { invariant } from "../../model/fault.ts";
import type { MissionState } from "../../model/mission/mission-state.ts";
import { acceptRule, endRule, prepareRule } from "./accept-rules.ts";
import { foundRule, lossRule } from "./found-work.ts";
import { launchRule, waveRule } from "./autopilot-rules.ts";
import { barrierRule } from "./barriers.ts";
import { evolveMission } from "./evolve-mission.ts";
import type { MissionFacts, MissionRule } from "./mission-facts.ts";
import { settleRule } from "./settle-workstreams.ts";

/** In this order; the first that has something to decide does. */
const RULES: readonly MissionRule[] = [
  seeRule,
  settleRule,
  stopRule,
  barrierRule,
  raiseRule,
  lossRule,
  foundRule,
  prepareRule,
  acceptRule,
  endRule,
  launchRule,
  waveRule,
];

/** The next decision about a mission; nothing where it waits, or is over. */
export function decideMission(state: MissionState, facts: MissionFacts): RunEvent[] {
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
export function missionTurn(state: MissionState, facts: MissionFacts): RunEvent[] {
  const events: RunEvent[] = [];
  for (;;) {
    const decided = decideMission(state, facts);
    if (decided.length === 0) return events;
    for (const event of decided) {
      events.push(event);
      evolveMission(state, event, { seq: state.seq + 1, at: facts.now });
    }
    invariant(events.length < DECISIONS_MAX, `a turn of the mission ${state.name} does not come to an end`);
  }
}
