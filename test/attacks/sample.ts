import { seededChance } from "../../sim/world/seeded-chance.ts";

/** So many of the items, drawn by a seed and in their order; all of them where there are no more. */
export function sample<Item>(items: readonly Item[], count: number, seed: number): Item[] {
  const chance = seededChance(seed);
  const drawn = items.map((item, at) => ({ item, at, by: chance() }));
  return drawn
    .sort((a, b) => a.by - b.by)
    .slice(0, count)
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
