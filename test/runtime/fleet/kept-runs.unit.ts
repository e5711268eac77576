import assert from "node:assert/strict";
import { test } from "node:test";
import type { Journal, Owner } from "../../../src/journal/journal.ts";
import { memoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import type { World } from "../../../src/model/world.ts";
import { realWorld } from "../../../src/real-world.ts";
import { KeptRuns } from "../../../src/runtime/fleet/kept-runs.ts";
import type { Ports } from "../../../src/runtime/ports.ts";
import { bench } from "../worked-run.ts";

const LEASE_MS = 10_000;
const START_MS = 1_000_000;

/** A host on a store, its clock under the test's control; what its agents are permitted is written down. */
async function stage(host: Partial<Ports> = { home: () => ({ id: "host_a", name: "a" }) }) {
  const time = { ms: START_MS };
  const world: World & Required<Pick<World, "steady">> = {
    ...realWorld(),
    steady: () => ({ clock: "boot", ms: time.ms }),
  };
  const journal = memoryJournal({ world });
  const permits: number[] = [];
  const permit = (untilMs: number): void => void permits.push(untilMs);
  const fence = { permit } as NonNullable<Ports["fence"]>;
  const view = bench({}, { world, journal, host: { lease: { ms: LEASE_MS } } });
  const dead = await ownerOf(journal, world, "run_1");
  const kept = new KeptRuns({ ...view.ports, fence, ...host });
  const beats = async (run = "run_1"): Promise<number> => (await journal.lease(run))?.beats ?? 0;
  return { time, world, journal, permits, kept, dead, beats, close: () => view.close() };
}

async function ownerOf(journal: Journal, world: World, run: string): Promise<Owner> {
  const owner = { id: `own_of_${run}`, process: world.self };
  await journal.claim(run, owner);
  return owner;
}

test("F2 the sibling beats for a dead supervisor and renews its agents' permit, from when it began to look", async () => {
  const { time, kept, dead, permits, beats, close } = await stage();
  await kept.look({ askedMs: time.ms, owner: dead, isGone: false });
  assert.deepEqual([await beats(), permits], [0, []]);
  await kept.look({ askedMs: time.ms, owner: dead, isGone: true });
  assert.deepEqual([await beats(), permits], [1, [START_MS + 8_000]]);
  // No oftener than a lease needs.
  await kept.look({ askedMs: time.ms, owner: dead, isGone: true });
  assert.equal(await beats(), 1);
  const asked = time.ms + 2_000;
  time.ms = asked + 500;
  await kept.look({ askedMs: asked, owner: dead, isGone: true });
  assert.deepEqual([await beats(), permits.at(-1)], [2, asked + 8_000]);
  await close();
});

test("F2 a supervisor that never comes back holds its runs for a minute, each of several that die in a row", async () => {
  const { time, world, journal, kept, dead, permits, beats, close } = await stage();
  const next = await ownerOf(journal, world, "run_2");
  for (; time.ms < START_MS + 30_000; time.ms += 2_000)
    await kept.look({ askedMs: time.ms, owner: dead, isGone: true });
  for (; time.ms < START_MS + 200_000; time.ms += 2_000)
    await kept.look({ askedMs: time.ms, owner: next, isGone: true });
  assert.deepEqual([await beats(), await beats("run_2")], [30, 30]);
  assert.equal(permits.at(-1), START_MS + 30_000 + 58_000 + 8_000);
  await close();
});

test("F2 once the next supervisor is there, it alone says how long its agents may work; what it has not taken yet is kept", async () => {
  const { time, world, journal, kept, dead, permits, beats, close } = await stage();
  await kept.look({ askedMs: time.ms, owner: dead, isGone: true });
  const next = await ownerOf(journal, world, "run_2");
  time.ms += 2_000;
  await kept.look({ askedMs: time.ms, owner: next, isGone: false });
  assert.deepEqual([await beats(), await beats("run_2"), permits.length], [2, 0, 1]);
  await close();
});

test("F2 nothing is kept where the store is one machine's", async () => {
  const { time, kept, dead, permits, beats, close } = await stage({});
  await kept.look({ askedMs: time.ms, owner: dead, isGone: true });
  assert.deepEqual([await beats(), permits], [0, []]);
  await close();
});
