import type { Step } from "./flow.ts";

/** Steps such that each comes after all that it needs; those that wait for themselves are left out. Costs steps and edges. */
export function inOrder(steps: readonly Pick<Step, "name" | "needs">[]): string[] {
  const open = new Map(steps.map((step) => [step.name, step.needs.length]));
  const dependents = new Map<string, string[]>();
  for (const step of steps)
    for (const need of step.needs) {
      const waiting = dependents.get(need);
      if (waiting === undefined) dependents.set(need, [step.name]);
      else waiting.push(step.name);
    }
  const order = [...open].filter(([, needs]) => needs === 0).map(([name]) => name);
  // Grows as it is walked.
  for (const name of order)
    for (const dependent of dependents.get(name) ?? []) {
      const left = (open.get(dependent) ?? 0) - 1;
      open.set(dependent, left);
      if (left === 0) order.push(dependent);
    }
  return order;
}

interface Pair {
  readonly earlier: string;
  readonly later: string;
}

/** So many pairs are looked at in one walk, each with a bit of its own. */
const AT_ONCE = 31;

/** The pairs whose later step does not build on the earlier one; steps stand in an order in which needs come first. */
export function notBuilt<Some extends Pair>(
  order: readonly Pick<Step, "name" | "needs">[],
  pairs: readonly Some[],
): Some[] {
  if (pairs.length === 0) return [];
  const places = new Map(order.map(({ name }, at) => [name, at]));
  const place = (name: string): number => places.get(name) ?? -1;
  // What stands before a step does not build on it, and no walk leads there.
  const isBefore = ({ earlier, later }: Pair): boolean =>
    place(later) !== -1 && place(later) < place(earlier);
  const found = new Set<Pair>(pairs.filter(isBefore));
  // Neighbours are looked at together: the walk is from the first of them to the last.
  const sorted = pairs
    .filter((pair) => !found.has(pair))
    .toSorted((one, other) => place(one.earlier) - place(other.earlier));
  for (let from = 0; from < sorted.length; from += AT_ONCE)
    for (const pair of walk(order, sorted.slice(from, from + AT_ONCE), place)) found.add(pair);
  return pairs.filter((pair) => found.has(pair));
}

function walk(
  order: readonly Pick<Step, "name" | "needs">[],
  pairs: readonly Pair[],
  place: (name: string) => number,
): Pair[] {
  const first = Math.min(...pairs.map(({ earlier }) => place(earlier)));
  const last = Math.max(...pairs.map(({ later }) => place(later)));
  const starts = new Map<number, number>();
  const ends = new Map<number, number[]>();
  for (const [bit, { earlier, later }] of pairs.entries()) {
    starts.set(place(earlier), (starts.get(place(earlier)) ?? 0) | (1 << bit));
    ends.set(place(later), [...(ends.get(place(later)) ?? []), bit]);
  }
  // Bit by bit: whether a step builds on the earlier one of that pair.
  const builds = new Int32Array(last - first + 1);
  const missing: Pair[] = [];
  for (let at = first; at <= last; at += 1) {
    let bits = 0;
    for (const need of order[at]?.needs ?? []) bits |= builds[place(need) - first] ?? 0;
    for (const bit of ends.get(at) ?? []) {
      const pair = pairs[bit];
      if ((bits & (1 << bit)) === 0 && pair !== undefined) missing.push(pair);
    }
    builds[at - first] = bits | (starts.get(at) ?? 0);
  }
  return missing;
}
