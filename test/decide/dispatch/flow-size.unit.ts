import assert from "node:assert/strict";
import { test } from "node:test";
import type { Step } from "../../../src/model/flow/flow.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const WIDTH = 10;

/** Layers of ten steps, each of which needs two of the layer before. */
const layered = (count: number): Step[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `s${String(at)}`,
    task: "t",
    agent: "dev",
    authority: "writes",
    checks: [],
    needs:
      at < WIDTH
        ? []
        : [`s${String(at - WIDTH)}`, `s${String(at - WIDTH - (at % WIDTH) + ((at + 1) % WIDTH))}`],
  }));

const step = (at: number, needs: string[], authority: Step["authority"]): Step => ({
  name: `s${String(at)}`,
  task: "t",
  agent: "dev",
  authority,
  checks: [],
  needs,
});

const chained = (count: number): Step[] =>
  Array.from({ length: count }, (_, at) => step(at, at === 0 ? [] : [`s${String(at - 1)}`], "writes"));

/** All may begin at once; there is room for one, or where they only review, for four. */
const wide = (count: number, authority: Step["authority"] = "writes"): Step[] =>
  Array.from({ length: count }, (_, at) => step(at, [], authority));

/** One step that all others need, and one that needs all of them. */
const fanned = (count: number): Step[] => [
  step(0, [], "writes"),
  ...Array.from({ length: count - 2 }, (_, at) => step(at + 1, ["s0"], "reviews")),
  step(
    count - 1,
    Array.from({ length: count - 2 }, (_, at) => `s${String(at + 1)}`),
    "writes",
  ),
];

/** Counts every key that is looked up, and every key that a walk over all of them sees. */
function counted<Value extends object>(value: Value, count: (work: number) => void): Value {
  return new Proxy(value, {
    get: (target, key, self) => (count(1), Reflect.get(target, key, self) as unknown),
    ownKeys: (target) => {
      const keys = Reflect.ownKeys(target);
      count(keys.length);
      return keys;
    },
  });
}

/** Works a whole flow, and tells how much of its steps was looked at for that. */
function workOf(steps: readonly Step[]): number {
  let work = 0;
  const count = (more: number): void => void (work += more);
  const flow = { name: "large", steps: [...steps], phases: [] };
  const data = { ...EXAMPLES.RunCreated, flow, settings: runSettingsSchema.parse({}) };
  const state: RunState = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  state.steps = counted(state.steps, count);
  state.ready.lanes = counted(state.ready.lanes, count);
  state.dependents = counted(state.dependents, count);
  let now = 1_000;
  takeTurn(state, [], now);
  for (let live = Object.keys(state.attempts); live.length > 0; live = Object.keys(state.attempts)) {
    const [attempt = ""] = live;
    now += 1_000;
    takeTurn(
      state,
      [
        { type: "EffectSettled", data: { key: `${attempt}/StartAgent`, outcome: { kind: "done" } } },
        {
          type: "SignalsHeard",
          data: {
            attempt,
            cursor: "9",
            signals: [
              { kind: "result", ok: true, text: "done" },
              { kind: "exit", how: "code", code: 0 },
            ],
          },
        },
      ],
      now,
    );
  }
  assert.equal(state.status, "completed");
  assert.equal(statusView(state, null).steps.length, steps.length);
  return work;
}

const SHAPES: readonly [string, (count: number) => Step[]][] = [
  ["layered", layered],
  ["a chain", chained],
  ["one, many, one", fanned],
  ["wide, with steps that write", (count) => wide(count)],
  ["wide, with steps that review", (count) => wide(count, "reviews")],
];

for (const [shape, make] of SHAPES)
  test(`G1 ten times the steps and edges cost about ten times the work: no decision looks at all steps (${shape})`, () => {
    const [small, large] = [workOf(make(200)), workOf(make(2_000))];
    assert.ok(large / small < 12, `${String(small)} for 200 steps, ${String(large)} for 2000`);
    assert.ok(large / 2_000 < 400, `${String(large / 2_000)} looks for each step`);
  });
