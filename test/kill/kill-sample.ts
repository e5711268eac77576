const DAY_MS = 86_400_000;
/** Fewer are always struck all. */
const WHOLE_MAX = 6;
/** So many days, or seeds, and each is struck. */
const SEEDS = 2;

/** `HOLDFAST_KILL_ALL=1` (`npm run chaos:boundaries`) strikes every passage of every boundary. */
export const KILL_ALL = process.env["HOLDFAST_KILL_ALL"] === "1";

/** Chooses the sample that `npm test` strikes: another one each day, and the same again by its number. */
export const KILL_SEED = Number(process.env["HOLDFAST_KILL_SEED"] ?? Math.floor(Date.now() / DAY_MS));

/** The part of a list that this seed strikes; all seeds together strike it all. */
export const sampled = <Point>(points: readonly Point[], seeds = SEEDS): readonly Point[] =>
  KILL_ALL || points.length <= WHOLE_MAX ? points : points.filter((_, at) => (at + KILL_SEED) % seeds === 0);
