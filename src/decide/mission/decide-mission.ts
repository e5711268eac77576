import { decidedTurn, firstDecision } from "../continuous/decided-turn.ts";
import { raiseRule } from "../continuous/raise-rule.ts";
import { seeRule } from "../continuous/settle-rules.ts";
import { stopRule } from "../continuous/stop-rule.ts";
import type { RunEvent } from "../../model/events/events.ts";
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
export const decideMission = (state: MissionState, facts: MissionFacts): RunEvent[] =>
  firstDecision(RULES, state, facts);

/** One turn without its append: decides until nothing follows. The state is changed in place. */
export const missionTurn = (state: MissionState, facts: MissionFacts): RunEvent[] =>
  decidedTurn({ decide: decideMission, evolve: evolveMission }, state, facts);
