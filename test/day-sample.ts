import type { TestContext } from "node:test";

const DAY_MS = 86_400_000;

/** `npm run test:whole` plays every matrix whole. */
export const PLAY_WHOLE = process.env["HOLDFAST_TEST_WHOLE"] === "1";

/** Chooses what `npm test` plays of its long matrices: something else each day, and the same again by its number. */
export const DAY_SEED = Number(process.env["HOLDFAST_TEST_SEED"] ?? Math.floor(Date.now() / DAY_MS));

/** One in so many, at least one; so many days or seeds one after the other play them all. */
export function ofTheDay<Item>(
  items: readonly Item[],
  oneIn: number,
  { seed, whole } = { seed: DAY_SEED, whole: PLAY_WHOLE },
): readonly Item[] {
  const step = Math.min(oneIn, items.length);
  return whole ? items : items.filter((_, at) => at % step === seed % step);
}

/** Whole tests take turns where all tests are run; a file that is named is played whole. */
const TAKES_TURNS = process.env["HOLDFAST_TEST_TURNS"] === "1" && !PLAY_WHOLE;

/** Whether what has one turn in so many days has it today; with places from 0 on they take turns. */
export const hasTurn = (place: number, days: number): boolean =>
  !TAKES_TURNS || DAY_SEED % days === place % days;

/** For `skip`: why a test has no turn today, and what plays it; false where it has. */
export const restsToday = (place: number, days: number, command = "npm run test:whole"): string | false =>
  !hasTurn(place, days) &&
  `has its turn on another day (HOLDFAST_TEST_SEED=${String(DAY_SEED)}): ${command} plays it`;

/** Says in the output of `npm test` what was played of how much, by which seed, and how all of it is. */
export function printSample(t: TestContext, played: string): void {
  if (!PLAY_WHOLE)
    t.diagnostic(
      `sample of the day: ${played}, HOLDFAST_TEST_SEED=${String(DAY_SEED)}; whole: npm run test:whole`,
    );
}
