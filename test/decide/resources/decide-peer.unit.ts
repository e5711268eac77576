import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decidePeer,
  newPeerMemory,
  restartsOf,
  type PeerAct,
  type PeerSight,
} from "../../../src/decide/resources/decide-peer.ts";
import type { Restarts } from "../../../src/model/host/supervision.ts";

const LIMITS = { lookMs: 60_000, silentMs: 600_000, graceMs: 30_000, goneMs: 0, releasedMs: 5_000 };
const MINUTE = 60_000;

/** Looks one after another, and what was done at each. */
function watched(sights: readonly (PeerSight & { at: number })[], limits = LIMITS): PeerAct[] {
  let memory = newPeerMemory(0);
  return sights.map(({ at, ...sight }) => {
    const assessed = decidePeer(memory, sight, limits, at);
    memory = assessed.memory;
    return assessed.act;
  });
}

const alive = (at: number, beats: number, owner = "own_1") => ({
  at,
  beats,
  owner,
  process: "alive" as const,
});
const gone = (at: number, owner = "own_1") => ({ at, beats: 1, owner, process: "gone" as const });
const released = (at: number) => ({ at, beats: 0, owner: null, process: "none" as const });
const minutes = (count: number) => Array.from({ length: count }, (_, index) => (index + 1) * MINUTE);

test("L8 a process whose loop comes round is left alone for ever", () => {
  const acts = watched(minutes(2_000).map((at, index) => alive(at, index)));
  assert.deepEqual(new Set(acts), new Set(["nothing"]));
});

test("L8 a process that lives and makes no progress is asked to end after 600 s, killed 30 s later, and replaced when it is gone", () => {
  const still = minutes(11).map((at) => alive(at, 7));
  const acts = watched([
    ...still,
    alive(11 * MINUTE + 29_000, 7),
    alive(11 * MINUTE + 30_000, 7),
    gone(11 * MINUTE + 31_000),
  ]);
  assert.deepEqual(acts, [...Array<PeerAct>(10).fill("nothing"), "end", "nothing", "end_firmly", "start"]);
});

test("L8 a process that was asked to end is ended, even if it moves again", () => {
  const acts = watched([
    ...minutes(11).map((at) => alive(at, 7)),
    alive(11 * MINUTE + 10_000, 8),
    alive(12 * MINUTE, 9),
  ]);
  assert.deepEqual(acts.slice(10), ["end", "nothing", "end_firmly"]);
});

test("L8 a machine that slept, and a clock that was set, do not look like silence", () => {
  const slept = [alive(MINUTE, 1), alive(10 * 3_600_000, 1), alive(10 * 3_600_000 + MINUTE, 2)];
  assert.deepEqual(watched(slept), ["nothing", "nothing", "nothing"]);
  const setBack = [alive(3_600_000, 1), alive(0, 1), alive(MINUTE, 1), alive(2 * MINUTE, 2)];
  assert.deepEqual(new Set(watched(setBack)), new Set(["nothing"]));
});

test("L8 a process of which nothing can be determined is neither ended nor replaced", () => {
  const blind = minutes(100).map((at) => ({ ...alive(at, 7), process: "unknown" as const }));
  assert.deepEqual(new Set(watched(blind)), new Set(["nothing"]));
});

test("L8 a dead process is replaced at once; one that let go without a word a moment later, since its farewell may be under way", () => {
  assert.deepEqual(watched([alive(1_000, 1), gone(2_000)]), ["nothing", "start"]);
  assert.deepEqual(watched([alive(1_000, 1), released(2_000), released(6_999), released(7_000)]), [
    "nothing",
    "nothing",
    "nothing",
    "start",
  ]);
});

test("L8 where a service manager starts again, it is given the first go", () => {
  const service = { ...LIMITS, goneMs: 30_000 };
  assert.deepEqual(watched([alive(1_000, 1), gone(2_000), alive(9_000, 1, "own_2")], service), [
    "nothing",
    "nothing",
    "nothing",
  ]);
  assert.deepEqual(watched([gone(2_000), gone(31_999), gone(32_000)], service), [
    "nothing",
    "nothing",
    "start",
  ]);
});

test("L8 starts that bring nobody come ever more slowly", () => {
  const everySecond = Array.from({ length: 1_000 }, (_, index) => gone((index + 1) * 1_000));
  const started = watched(everySecond).flatMap((act, index) => (act === "start" ? [index] : []));
  assert.deepEqual(started, [0, 30, 90, 210, 450, 750]);
});

/** Supervisors that each live for so long after their start, looked at every second; the times at which they died and the next was started. */
function dying(livesMs: number, untilMs: number): { waitsMs: number[]; restarts: (Restarts | null)[] } {
  let memory = newPeerMemory(0);
  let [owner, bornAt, diedAt] = [0, 0, Infinity];
  const waitsMs: number[] = [];
  const restarts: (Restarts | null)[] = [];
  for (let at = 0; at < untilMs; at += 1_000) {
    if (diedAt === Infinity && at - bornAt >= livesMs) diedAt = at;
    const name = `own_${String(owner)}`;
    const assessed = decidePeer(
      memory,
      diedAt === Infinity ? alive(at, at, name) : gone(at, name),
      LIMITS,
      at,
    );
    memory = assessed.memory;
    restarts.push(restartsOf(memory, LIMITS, at));
    if (assessed.act !== "start") continue;
    waitsMs.push(at - diedAt);
    [owner, bornAt, diedAt] = [owner + 1, at, Infinity];
  }
  return { waitsMs, restarts };
}

test("L8 deaths soon after a start are answered ever more slowly, up to 5 minutes, and reported; a minute of life forgets them", () => {
  const { waitsMs, restarts } = dying(10_000, 3_600_000);
  assert.deepEqual(
    waitsMs.slice(0, 12).map((ms) => ms / 1_000),
    [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300],
  );
  assert.deepEqual(restarts.at(11), { inARow: 1, nextAt: null });
  assert.deepEqual(restarts.at(20), { inARow: 1, nextAt: 21_000 }, "the second is started a second later");
  assert.deepEqual(dying(5 * MINUTE, 3_600_000).waitsMs, Array(11).fill(0));
});

test("L8 a sibling that is itself new goes on counting where the one before it stopped", () => {
  let memory = newPeerMemory(0, 4);
  memory = decidePeer(memory, { owner: "own_9", beats: 1, process: "alive" }, LIMITS, 1_000).memory;
  const acts = [2, 9, 10].map((second) => {
    const sight = { owner: "own_9", beats: 1, process: "gone" as const };
    const assessed = decidePeer(memory, sight, LIMITS, second * 1_000);
    memory = assessed.memory;
    return assessed.act;
  });
  assert.deepEqual(acts, ["nothing", "nothing", "start"]);
});

test("L8 the silence of one process is not held against its successor", () => {
  const acts = watched([
    ...minutes(10).map((at) => alive(at, 7)),
    ...minutes(9).map((at) => alive(10 * MINUTE + at, 7, "own_2")),
  ]);
  assert.deepEqual(new Set(acts), new Set(["nothing"]));
});
