import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { treeLines } from "../../../src/cli/print/tree-lines.ts";
import { programTree } from "../../../src/views/runs/program-tree.ts";

const NOW = Date.UTC(2026, 10, 15, 12);
const LATER = "2026-11-15T13:00:00.000Z";

const fold = (events: readonly RunEvent[]): RunState =>
  [
    { type: "BodyCreated", data: { body: null, input: null, budget: { tokens: 1_000 }, by: "t" } } as const,
    { type: "RunStarted", data: {} } as const,
    ...events,
  ].reduce<RunState | null>(
    (state, event, index) => evolve(state, event, { run: "r", seq: index + 1, at: NOW - 1_000 }),
    null,
  ) as RunState;

const spawned = (key: string, more: object = {}): RunEvent => ({
  type: "BodySpawned",
  data: { key, input: "x", attempt: 1, ...more },
});
const ended = (key: string, code?: string): RunEvent => ({
  type: "BodyChildEnded",
  data: {
    key,
    ended:
      code === undefined
        ? { kind: "value", value: 1 }
        : { kind: "error", error: { name: "Error", message: `it is ${code}`, code } },
  },
});

test("J5 the tree shows every state that a child can be in, and what it waits for", () => {
  const state = fold([
    ...["a", "b", "c", "d", "e", "f", "g"].map((name) => spawned(`spawn:${name}`)),
    spawned("spawn:g", { attempt: 2 }),
    ended("spawn:a"),
    ended("spawn:b", "E1"),
    ended("spawn:c", "cancelled"),
    { type: "BodySlept", data: { key: "spawn:d/sleep:0", until: NOW + 3_600_000 } },
    { type: "BodyWaited", data: { key: "spawn:e/wait:yes", name: "yes", until: NOW + 3_600_000 } },
    { type: "BodyStepIntended", data: { key: "spawn:f/step:pay" } },
    {
      type: "RunBlocked",
      data: {
        blocked: {
          reason: "in_doubt",
          detail: "?",
          step: "spawn:f/step:pay",
          attemptKept: true,
          guidance: [],
        },
      },
    },
    { type: "BodyLooped", data: { key: "loop:kernel", i: 2, patch: { set: 1 }, done: false } },
    spawned("loop:kernel[3]/spawn:tool", { budget: { tokens: 100 } }),
  ]);
  const tree = programTree(state, NOW);
  assert.deepEqual(treeLines(tree), [
    "",
    "TREE  running",
    "  b: failed, it is E1",
    "  d: sleeping until " + LATER,
    `  e: waiting for "yes" until ${LATER}`,
    '  f: step "f › pay" is in doubt',
    "  g: running, attempt 2",
    "  loop kernel: running, iteration 3",
    "    tool: running",
    "  c: cancelled, it is cancelled",
    "  a: ok",
  ]);
  assert.deepEqual(tree?.budget?.reserved.tokens, 100);
  assert.deepEqual(tree?.children.find((node) => node.name === "kernel")?.children[0]?.budget?.free, {
    tokens: 100,
  });
  assert.deepEqual(tree?.children.find((node) => node.name === "f")?.inDoubt, ["spawn:f/step:pay"]);
  // What is slept is not awake at the time it wakes.
  assert.equal(
    programTree(state, NOW + 7_200_000)?.children.find((node) => node.name === "d")?.state,
    "running",
  );
});

test("J5 the tree is bounded: what is open is shown before what is done, and the rest is counted", () => {
  const many = Array.from({ length: 500 }, (_, n) => `spawn:c${String(n)}`);
  const state = fold([
    ...many.map((key) => spawned(key)),
    ...many.slice(0, 490).map((key) => ended(key)),
    ...many
      .slice(490)
      .flatMap((key) => Array.from({ length: 40 }, (_, n) => spawned(`${key}/spawn:i${String(n)}`))),
  ]);
  const tree = programTree(state, NOW);
  assert.equal(tree?.children.length, 20);
  assert.equal(tree?.more, 480);
  assert.ok(
    tree?.children.slice(0, 10).every((node) => node.state === "running" && node.children.length <= 20),
  );
  const lines = treeLines(tree);
  assert.ok(lines.length < 260, String(lines.length));
  assert.equal(lines.at(-1), "  and 480 more");
});

test("J5 a run that has ended shows nothing as waiting", () => {
  const state = fold([
    { type: "BodyWaited", data: { key: "wait:yes", name: "yes", until: null } },
    { type: "RunCancelled", data: { stop: "operator" } },
  ]);
  assert.equal(programTree(state, NOW)?.state, "cancelled");
  assert.deepEqual(programTree(state, NOW)?.waitingFor, []);
});
