import assert from "node:assert/strict";
import { test } from "node:test";
import { seededChance } from "../../sim/seeded-chance.ts";
import { diffState, freezeDeep, patchState, type StatePatch } from "../../src/model/state-patch.ts";

const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** A random change of a random state, leaving most of it untouched and shared. */
function changed(value: unknown, chance: () => number, depth = 0): unknown {
  if (chance() < 0.15 || depth > 4) return drawn(chance, depth);
  if (Array.isArray(value)) {
    const kept = value.slice(0, Math.floor(value.length * (0.6 + 0.4 * chance())));
    const touched = kept.map((one: unknown) => (chance() < 0.2 ? changed(one, chance, depth + 1) : one));
    return chance() < 0.7 ? [...touched, drawn(chance, depth + 1)] : touched;
  }
  if (typeof value !== "object" || value === null) return chance() < 0.5 ? value : drawn(chance, depth);
  const next: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (chance() < 0.1) continue;
    next[name] = chance() < 0.3 ? changed(inner, chance, depth + 1) : inner;
  }
  if (chance() < 0.4) next[`k${String(Math.floor(chance() * 9))}`] = drawn(chance, depth + 1);
  return next;
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

test("J5 a state patched from its journal equals the state the body returned, for random histories", () => {
  for (let seed = 1; seed <= 400; seed += 1) {
    const chance = seededChance(seed);
    let state: unknown = undefined;
    let next: unknown = { messages: [], count: 0 };
    for (let i = 0; i < 20; i += 1) {
      const patch: StatePatch = json(diffState(state, next));
      state = patchState(state, patch);
      assert.deepEqual(state, json(next), `seed ${String(seed)}, iteration ${String(i)}`);
      next = changed(state, chance);
    }
  }
});

test("J5 a list that grows by one is recorded as that one, whatever its length", () => {
  const message = { role: "user", text: "x".repeat(1_000) };
  const size = (length: number): number => {
    const state = freezeDeep({ messages: Array.from({ length }, () => ({ ...message })) }) as {
      messages: unknown[];
    };
    return JSON.stringify(diffState(state, { messages: [...state.messages, message] })).length;
  };
  assert.ok(size(10_000) <= size(10) + 10);
});
