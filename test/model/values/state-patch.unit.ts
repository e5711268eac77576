import assert from "node:assert/strict";
import { test } from "node:test";
import { seededChance } from "../../../sim/world/seeded-chance.ts";
import { asJsonPatch } from "../../../src/loop/scope/json-value.ts";
import { diffState, freezeDeep, patchState, type StatePatch } from "../../../src/model/values/state-patch.ts";

const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const ODD_NAMES = ["__proto__", "constructor", "toString", "", "0", "same", "set", "keep"];

/** A random change of a random state, leaving most of it untouched and shared. */
function changed(value: unknown, chance: () => number, depth = 0): unknown {
  if (chance() < 0.15 || depth > 4) return drawn(chance, depth);
  if (Array.isArray(value)) {
    const kept = value.slice(0, Math.floor(value.length * (0.6 + 0.4 * chance())));
    const touched = kept.map((one: unknown) => (chance() < 0.2 ? changed(one, chance, depth + 1) : one));
    return chance() < 0.7 ? [...touched, drawn(chance, depth + 1)] : touched;
  }
  if (typeof value !== "object" || value === null) return chance() < 0.5 ? value : drawn(chance, depth);
  const members: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    if (chance() < 0.1) continue;
    members.push([name, chance() < 0.3 ? changed(inner, chance, depth + 1) : inner]);
  }
  const odd = ODD_NAMES[Math.floor(chance() * 20)];
  if (odd !== undefined) members.push([odd, drawn(chance, depth + 1)]);
  if (chance() < 0.4) members.push([`k${String(Math.floor(chance() * 9))}`, drawn(chance, depth + 1)]);
  // Not assigned: `__proto__` is a name like any other here.
  return Object.fromEntries(members);
}

function drawn(chance: () => number, depth: number): unknown {
  const kind = Math.floor(chance() * (depth > 3 ? 4 : 6));
  if (kind === 0) return null;
  if (kind === 1) return Math.floor(chance() * 100);
  if (kind === 2) return `text ${String(Math.floor(chance() * 100))}`;
  if (kind === 3) return chance() < 0.5;
  const size = Math.floor(chance() * 4);
  if (kind === 4) return Array.from({ length: size }, () => drawn(chance, depth + 1));
  return Object.fromEntries(
    Array.from({ length: size }, (_, n) => [`k${String(n)}`, drawn(chance, depth + 1)]),
  );
}

test("J5 a state patched from its journal equals the state the workflow function returned, for random histories", () => {
  for (let seed = 1; seed <= 400; seed += 1) {
    const chance = seededChance(seed);
    let live: unknown = undefined;
    let replayed: unknown = undefined;
    const patches: StatePatch[] = [];
    let next: unknown = { messages: [], count: 0 };
    for (let i = 0; i < 20; i += 1) {
      const before = JSON.stringify(live);
      const patch = asJsonPatch(diffState(live, next), "the state");
      patches.push(json(patch));
      const prev = live;
      live = freezeDeep(patchState(live, patch));
      replayed = patchState(replayed, json(patch));
      const place = `seed ${String(seed)}, iteration ${String(i)}`;
      // Texts too: `deepEqual` takes a member called `__proto__` for the prototype.
      assert.deepEqual(live, json(next), place);
      assert.equal(JSON.stringify(sorted(live)), JSON.stringify(sorted(next)), place);
      assert.equal(JSON.stringify(replayed), JSON.stringify(live), place);
      assert.equal(JSON.stringify(prev), before, `${place}: what was handed out has changed`);
      next = changed(live, chance);
    }
    const texts = patches.map((patch) => JSON.stringify(patch));
    const again = patches.reduce<unknown>((state, patch) => patchState(state, patch), undefined);
    assert.equal(JSON.stringify(again), JSON.stringify(live));
    assert.deepEqual(
      texts,
      patches.map((patch) => JSON.stringify(patch)),
      "folding has changed the events",
    );
  }
});

/** Members in one order; the order is not part of a state. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value)
    .map(([name, inner]) => [name, sorted(inner)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

test("J5 an edit in the middle of a list, a shorter list and a reordered one are all found", () => {
  const before = freezeDeep({ list: Array.from({ length: 1_000 }, (_, n) => ({ n })) }) as {
    list: { n: number }[];
  };
  const check = (list: readonly unknown[]): string => {
    const patch = json(diffState(before, { list }));
    assert.deepEqual(patchState(before, patch), { list: json(list) });
    return JSON.stringify(patch);
  };
  assert.equal(
    check(before.list.with(500, { n: -1 })),
    '{"in":{"list":{"keep":1000,"at":{"500":{"in":{"n":{"set":-1}}}}}}}',
  );
  assert.equal(check(before.list.slice(0, 10)), '{"in":{"list":{"keep":10}}}');
  assert.equal(check([]), '{"in":{"list":{"keep":0}}}');
  check(before.list.toReversed());
  check([...before.list.slice(0, 300), ...before.list.slice(301), { n: 5_000 }]);
  check([[[1]], ...before.list]);
});

test("J5 a list that grows by one is recorded as that one, regardless of its length", () => {
  const message = { role: "user", text: "x".repeat(1_000) };
  const size = (length: number): number => {
    const state = freezeDeep({ messages: Array.from({ length }, () => ({ ...message })) }) as {
      messages: unknown[];
    };
    return JSON.stringify(diffState(state, { messages: [...state.messages, message] })).length;
  };
  assert.ok(size(10_000) <= size(10) + 10);
});
