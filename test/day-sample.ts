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

/** Says in the output of `npm test` what was played of how much, by which seed, and how all of it is. */
export function tellSample(t: TestContext, played: string): void {
  if (!PLAY_WHOLE)
    t.diagnostic(
      `sample of the day: ${played}, HOLDFAST_TEST_SEED=${String(DAY_SEED)}; whole: npm run test:whole`,
    );
}
