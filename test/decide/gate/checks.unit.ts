import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import type { EventData, EventType, RunEvent } from "../../../src/model/events/events.ts";
import type { Evidence } from "../../../src/model/effects/evidence.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { evidence } from "../../config-keys/default-outcome.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

/** A run of one step with two checks, about to start. */
function checked(): RunState {
  const { flow } = EXAMPLES.RunCreated;
  const steps = flow.steps.map((step) => ({ ...step, checks: [{ run: "lint" }, { run: "npm test" }] }));
  const settings = runSettingsSchema.parse({ checks: { baseline: false } });
  const data = { ...EXAMPLES.RunCreated, flow: { ...flow, steps }, settings };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1_000);
  return state;
}

const DONE: Signal = { kind: "result", ok: true, text: "done" };

/** The agent's attempt is started, says this or that it is done, and exits with 0. */
function attempt(state: RunState, number: number, now: number, ...said: Signal[]): RunEvent[] {
  const signals = said.length === 0 ? [DONE] : said;
  const id = `work#${String(number)}`;
  takeTurn(
    state,
    [{ type: "EffectSettled", data: { key: `${id}/StartAgent`, outcome: { kind: "done" } } }],
    now,
  );
  const exit: Signal = { kind: "exit", how: "code", code: 0 };
  return takeTurn(
    state,
    [{ type: "SignalsHeard", data: { attempt: id, cursor: "9", signals: [...signals, exit] } }],
    now,
  );
}

function found(state: RunState, found: Evidence, now: number): RunEvent[] {
  const [key] = Object.keys(state.effects);
  assert.ok(key !== undefined, "no check is under way");
  return takeTurn(
    state,
    [{ type: "EffectSettled", data: { key, outcome: { kind: "done", evidence: found } } }],
    now,
  );
}

test("G6 a step with checks is done when each of them has passed, one after the other", () => {
  const state = checked();
  const events = attempt(state, 1, 2_000);
  assert.deepEqual(only(events, "StepSucceeded"), []);
  assert.deepEqual(
    only(events, "EffectIntended").map(({ effect }) => "command" in effect && effect.command),
    ["lint"],
  );
  assert.equal(state.steps["work"]?.status, "checking");
  assert.deepEqual(only(found(state, evidence("pass"), 3_000), "StepSucceeded"), []);
  const last = found(state, evidence("pass"), 4_000);
  assert.deepEqual(
    only(last, "StepChecked").map(({ verdict }) => verdict),
    ["pass"],
  );
  assert.equal(state.status, "completed");
});

test("A5 an agent's claim of success does not stand in for a check", () => {
  const state = checked();
  attempt(state, 1, 2_000, { kind: "result", ok: true, text: "all tests pass" });
  found(state, evidence("pass"), 3_000);
  const events = found(state, evidence("fail", "1 failed"), 4_000);
  assert.deepEqual(only(events, "StepSucceeded"), []);
  assert.notEqual(state.status, "completed");
});

test("A5 an agent that says itself that it failed is not checked", () => {
  const state = checked();
  const events = attempt(state, 1, 2_000, { kind: "result", ok: false, text: "I could not" });
  assert.deepEqual(
    only(events, "AttemptEnded").map(({ outcome }) => outcome),
    ["failed"],
  );
  assert.deepEqual(
    Object.values(state.effects).filter(({ kind }) => kind === "RunCheck"),
    [],
  );
});

test("G6 a check that fails twice and then passes completes the run, and each time the agent receives what was found", () => {
  const state = checked();
  for (const number of [1, 2]) {
    attempt(state, number, number * 10_000);
    found(state, evidence("pass"), number * 10_000 + 1);
    const events = found(state, evidence("fail", `expected ${String(number)}, got 0`), number * 10_000 + 2);
    const [reported] = only(events, "EffectIntended").map(({ effect }) =>
      "task" in effect ? effect.task : "",
    );
    assert.match(reported ?? "", /Your last attempt did not pass/);
    assert.match(reported ?? "", /`npm test` ended with exit code 1/);
    assert.match(reported ?? "", new RegExp(`expected ${String(number)}, got 0`));
  }
  attempt(state, 3, 30_000);
  found(state, evidence("pass"), 30_001);
  found(state, evidence("pass"), 30_002);
  assert.equal(state.status, "completed");
});

test("G6 the third failed check asks a person, with what was found", () => {
  const state = checked();
  for (const number of [1, 2, 3]) {
    attempt(state, number, number * 10_000);
    found(state, evidence("fail", "1 failed"), number * 10_000 + 1);
  }
  assert.equal(state.blocked?.reason, "retries_exhausted");
  assert.deepEqual(state.blocked.guidance, ["proof_not_strong_enough"]);
  assert.match(state.blocked.detail, /did not pass its checks 3 times.*1 failed/s);
});

test("G6 a check whose outcome cannot be learnt is run again, and never taken for a pass", () => {
  const state = checked();
  attempt(state, 1, 2_000);
  const keys: string[] = [];
  for (let nth = 0; nth < 3; nth += 1) {
    keys.push(...Object.keys(state.effects));
    found(state, evidence("unknown", "the shell is missing"), 3_000 + nth);
  }
  assert.deepEqual(keys, ["work#1/RunCheck", "work#1/RunCheck.2", "work#1/RunCheck.3"]);
  assert.equal(state.blocked?.reason, "retries_exhausted");
  assert.match(state.blocked.detail, /could not be carried out.*the shell is missing/s);
});

test("G2 a pause does not wait for a check: it is run again when the run goes on", () => {
  const state = checked();
  attempt(state, 1, 2_000);
  const asked = (kind: "pause" | "resume"): RunEvent => ({
    type: "RequestHeard",
    data: { requestId: kind, request: { kind }, by: "ann" },
  });
  takeTurn(state, [asked("pause")], 3_000);
  assert.equal(state.status, "paused");
  assert.deepEqual(state.effects, {});
  takeTurn(state, [asked("resume")], 4_000);
  assert.deepEqual(Object.keys(state.effects), ["work#1/RunCheck.2"]);
  found(state, evidence("pass"), 5_000);
  found(state, evidence("pass"), 6_000);
  assert.equal(state.status, "completed");
});
