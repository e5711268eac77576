import assert from "node:assert/strict";
import { test } from "node:test";
import { readingShare, SLICE_MS } from "../../../../src/agents/keeper/spool/reading-share.ts";
import type { World } from "../../../../src/model/world.ts";

/** A world in which time passes only by work and by waiting. */
function still(): { world: World; work: (ms: number) => void; now: () => number } {
  let now = 0;
  const due: { at: number; fire: () => void }[] = [];
  const next = (): void => {
    const first = due.sort((one, other) => one.at - other.at).shift();
    if (first === undefined) return;
    now = Math.max(now, first.at);
    first.fire();
  };
  const timer = (delayMs: number, fire: () => void) => {
    due.push({ at: now + delayMs, fire });
    setImmediate(next);
    return () => undefined;
  };
  const world = { now: () => now, timer } as unknown as World;
  return { world, work: (ms) => (now += ms), now: () => now };
}

test("L7 agents that print without end take half of the time together, each the same share", async () => {
  const { world, work, now } = still();
  const read = [0, 0, 0];
  const flood = async (nth: number): Promise<void> => {
    const share = readingShare(world);
    share.begin();
    while (now() < 10_000) {
      work(1);
      read[nth] = (read[nth] ?? 0) + 1;
      if (share.isOver()) await share.turn();
    }
  };
  await Promise.all(read.map((_, nth) => flood(nth)));
  const all = read.reduce((sum, one) => sum + one, 0);
  assert.ok(all > 4_000 && all < 5_500, `${String(all)} of 10000 ms`);
  assert.ok(Math.max(...read) - Math.min(...read) <= 2 * SLICE_MS, read.join(", "));
});

test("L7 a reader with little to read uses up no slice, however often it reads", () => {
  const { world, work } = still();
  const share = readingShare(world);
  for (let rounds = 0; rounds < 100; rounds += 1) {
    share.begin();
    work(1);
    assert.equal(share.isOver(), false);
    share.leave();
    // Others work.
    work(1_000);
    share.rested();
  }
});
