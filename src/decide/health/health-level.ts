import type { HealthState } from "../../model/agent/health.ts";

/** Whether the model owes an answer: no call is open, and the agent has not ended its turn. */
export const isModelsTurn = ({ open, resultsSeen, ended, turnSince }: HealthState): boolean =>
  !(open.length > 0 && resultsSeen > 0) && !ended && turnSince !== null;
