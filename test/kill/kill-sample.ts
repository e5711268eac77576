import { DAY_SEED, ofTheDay, PLAY_WHOLE } from "../day-sample.ts";

/** So many days, or seeds, and each is struck. */
const SEEDS = 8;

/** `HOLDFAST_KILL_ALL=1` (`npm run chaos:boundaries`) strikes every passage of every boundary. */
export const KILL_ALL = PLAY_WHOLE || process.env["HOLDFAST_KILL_ALL"] === "1";

/** Chooses the sample that `npm test` strikes: another one each day, and the same again by its number. */
export const KILL_SEED = Number(process.env["HOLDFAST_KILL_SEED"] ?? DAY_SEED);

/**
 * `HOLDFAST_KILL_PART=3/16` strikes every sixteenth boundary, from the third: a play of all of them in parts, each of which
 * is short and can be repeated.
 */
export function partOf<Point>(
  points: readonly Point[],
  part = process.env["HOLDFAST_KILL_PART"] ?? "1/1",
): readonly Point[] {
  const [, number, count] = /^(\d+)\/(\d+)$/.exec(part) ?? [];
  const [place, step] = [Number(number), Number(count)];
  if (!(place >= 1 && place <= step))
    throw new Error(`HOLDFAST_KILL_PART is "${part}"; expected a part such as 3/16`);
  return points.filter((_, at) => at % step === place - 1);
}

/** The part of a list that this seed strikes, never nothing; all seeds together strike it all. */
export const sampled = <Point>(points: readonly Point[], seeds = SEEDS): readonly Point[] =>
  ofTheDay(points, seeds, { seed: KILL_SEED, whole: KILL_ALL });

/** In words for the output of `npm test`. */
export const killSample = (struck: number, of: number): string =>
  `sample of the day: ${String(struck)} of ${String(of)} boundaries, HOLDFAST_KILL_SEED=${String(KILL_SEED)}; whole: npm run chaos:boundaries`;
