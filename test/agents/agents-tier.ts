import { restsToday } from "../day-sample.ts";

/** Why a test of real agents or terminals does not run here; false where it does. They take minutes and gigabytes. */
export const agentsTier: string | false =
  process.env["HOLDFAST_TEST_AGENTS"] === "1" ? false : "takes long: npm run test:agents runs it";

/** Real agents that live through much the same take turns in `npm test`: why this one rests today; false where it does not. */
export const notToday = (place: number, days: number): string | false =>
  agentsTier !== false && restsToday(place, days, "npm run test:agents");

/** Two lives a day: one of the agents that print, by their place there, and from here on one of the others. */
export const LIVES_IN_DAYS = 4;
export const FIRST_LIFE = { headless: 0, acp: 0, terminal: 2 };
