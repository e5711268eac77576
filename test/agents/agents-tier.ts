import { DAY_SEED, ofTheDay } from "../day-sample.ts";

/** Why a test of real agents or terminals does not run here; false where it does. They take minutes and gigabytes. */
export const agentsTier: string | false =
  process.env["HOLDFAST_TEST_AGENTS"] === "1" ? false : "takes long: npm run test:agents runs it";

/** Of agents that all live through the same, why this one does not in today's `npm test`; false where it does. */
export function notToday<Agent>(
  agents: readonly Agent[],
  agent: Agent,
  oneIn = agents.length,
): string | false {
  if (agentsTier === false || ofTheDay(agents, oneIn).includes(agent)) return false;
  return `has its turn on another day (HOLDFAST_TEST_SEED=${String(DAY_SEED)}): npm run test:agents runs it`;
}
