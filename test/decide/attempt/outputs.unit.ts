import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import type { OutputsReport } from "../../../src/model/effects/artifact.ts";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import { flowProblems } from "../../../src/model/flow/flow-problems.ts";
import { flowSchema } from "../../../src/model/flow/flow.ts";
import type { EventData, EventType, RunEvent } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

const PLAN = { path: "plan.json", digest: "aa".repeat(32), bytes: 9 };
const SPEC = { task: "do it", agent: "dev", authority: "writes", checks: [] } as const;

/** A run of two steps: the first is to deliver a plan, the second builds on it. */
function declared(): RunState {
  const { flow } = EXAMPLES.RunCreated;
  const steps = [
    { ...SPEC, name: "work", needs: [], checks: [], outputs: [{ path: "plan.json" }] },
    { ...SPEC, name: "build", needs: ["work"], checks: [] },
  ];
  const data = { ...EXAMPLES.RunCreated, flow: { ...flow, steps } };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1_000);
  return state;
}

const settled = (key: string, outcome: EffectOutcome): RunEvent => ({
  type: "EffectSettled",
  data: { key, outcome },
});

function attempt(state: RunState, id: string, now: number): RunEvent[] {
  takeTurn(state, [settled(`${id}/StartAgent`, { kind: "done" })], now);
  const signals = [
    { kind: "result", ok: true, text: "done" },
    { kind: "exit", how: "code", code: 0 },
  ] as const;
  return takeTurn(
    state,
    [{ type: "SignalsHeard", data: { attempt: id, cursor: "9", signals: [...signals] } }],
    now,
  );
}

function looked(state: RunState, outcome: EffectOutcome, now: number): RunEvent[] {
  const key = Object.keys(state.effects).find((name) => name.includes("CollectOutputs"));
  assert.ok(key !== undefined, "nobody looks at the outputs");
  return takeTurn(state, [settled(key, outcome)], now);
}

const report = (outputs: OutputsReport): EffectOutcome => ({ kind: "done", outputs });
const missing = report({ artifacts: [], problems: [{ path: "plan.json", problem: "it is not there" }] });

test("W10 a step is done only with its declared outputs; they are registered with it, and the next step is given them by digest", () => {
  const state = declared();
  assert.deepEqual(only(attempt(state, "work#1", 2_000), "StepSucceeded"), []);
  const events = looked(state, report({ artifacts: [PLAN], problems: [] }), 3_000);
  assert.deepEqual(events.map(({ type }) => type).slice(1, 4), [
    "ArtifactsRegistered",
    "StepChecked",
    "StepSucceeded",
  ]);
  const [start] = only(events, "EffectIntended");
  assert.deepEqual(start?.effect.kind === "StartAgent" && start.effect.artifacts, [
    { ...PLAN, step: "work" },
  ]);
});

test("W10 what is not delivered sends the work back with what was found, and the third time a person is asked", () => {
  const state = declared();
  for (const number of [1, 2]) {
    attempt(state, `work#${String(number)}`, number * 10_000);
    const events = looked(state, missing, number * 10_000 + 1);
    assert.match(only(events, "StepChecked")[0]?.feedback ?? "", /plan\.json: it is not there/);
    const [start] = only(events, "EffectIntended");
    assert.match(
      start?.effect.kind === "StartAgent" ? start.effect.task : "",
      /delivers these files:\n- plan\.json[^]*did not pass[^]*it is not there/,
    );
  }
  attempt(state, "work#3", 30_000);
  looked(state, missing, 30_001);
  assert.equal(state.blocked?.reason, "retries_exhausted");
  assert.match(state.blocked.detail, /did not deliver its outputs 3 times.*plan\.json/s);
  assert.equal(state.steps["work"]?.lastFailure?.class, "artifact_invalid");
});

test("W10 a look that fails says nothing about the work: it is repeated, and then a person is asked", () => {
  const state = declared();
  attempt(state, "work#1", 2_000);
  for (const now of [3_000, 4_000, 5_000])
    looked(state, { kind: "failed", text: "no such device", terminal: false }, now);
  assert.match(state.blocked?.detail ?? "", /could not be looked at: no such device/);
});

test("W10 a step that is done again has delivered nothing until it is accepted again", () => {
  const state = declared();
  attempt(state, "work#1", 2_000);
  looked(state, report({ artifacts: [PLAN], problems: [] }), 3_000);
  evolve(
    state,
    { type: "StepReset", data: { step: "work" } },
    { run: "run_1", seq: state.seq + 1, at: 4_000 },
  );
  assert.deepEqual(state.artifacts, {});
});

test("P4 W10 an output that lies outside, a schema that is none and a path declared twice are reported by name", () => {
  const flow = (output: unknown) =>
    flowSchema.safeParse({ name: "f", steps: [{ name: "a", task: "t", agent: "dev", outputs: [output] }] });
  for (const path of ["/etc/passwd", "../up", "a/../../b", ".git/config", "a//b", "a/", "C:\\x"])
    assert.equal(flow({ path }).success, false, path);
  assert.match(
    JSON.stringify(flow({ path: "a", schema: { type: "thing" } }).error?.issues),
    /no usable JSON Schema/,
  );
  const twice = { ...SPEC, name: "a", needs: [], checks: [], outputs: [{ path: "x" }, { path: "x" }] };
  const [problem] = flowProblems({ name: "f", phases: [], steps: [twice] }, { dev: { use: "demo" } });
  assert.equal(problem?.problem, 'its output "x" is declared twice');
});
