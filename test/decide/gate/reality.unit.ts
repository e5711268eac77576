import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import type { EventData, EventType, RunEvent } from "../../../src/model/events/events.ts";
import type { Evidence } from "../../../src/model/effects/evidence.ts";
import { flowSchema } from "../../../src/model/flow/flow.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

const CHECK = [{ run: "npm test" }];

/** A run of steps with or without checks, each needing the one before. */
function begun(checks: readonly (readonly object[])[], settings: object = {}): RunState {
  const steps = checks.map((of, at) => ({
    name: `s${String(at)}`,
    task: "t",
    agent: "dev",
    checks: of,
    needs: at === 0 ? [] : [`s${String(at - 1)}`],
  }));
  const data = {
    ...EXAMPLES.RunCreated,
    flow: flowSchema.parse({ name: "steps", steps }),
    settings: runSettingsSchema.parse({ checks: { baseline: false }, ...settings }),
  };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1_000);
  return state;
}

let now = 2_000;

/** The agent at work claims success and ends. */
function claims(state: RunState): RunEvent[] {
  const [id] = Object.keys(state.attempts);
  assert.ok(id !== undefined, "nobody is at work");
  now += 1_000;
  const signals = [
    { kind: "result", ok: true, text: "all tests pass" },
    { kind: "exit", how: "code", code: 0 },
  ] as const;
  return takeTurn(
    state,
    [
      { type: "EffectSettled", data: { key: `${id}/StartAgent`, outcome: { kind: "done" } } },
      { type: "SignalsHeard", data: { attempt: id, cursor: "9", signals: [...signals] } },
    ],
    now,
  );
}

function found(state: RunState, verdict: Evidence["verdict"], kind = "RunCheck"): RunEvent[] {
  const [key] = Object.entries(state.effects).find(([, effect]) => effect.kind === kind) ?? [];
  assert.ok(key !== undefined, `no ${kind} is under way`);
  const evidence: Evidence = {
    command: "npm test",
    verdict,
    exitCode: verdict === "pass" ? 0 : 1,
    signal: null,
    timedOut: false,
    outputBytes: 0,
    digest: "",
    excerpt: "1 failing",
    durationMs: 5,
  };
  now += 1_000;
  return takeTurn(
    state,
    [{ type: "EffectSettled", data: { key, outcome: { kind: "done", evidence } } }],
    now,
  );
}

const atEnd = (state: RunState, verdict: Evidence["verdict"]): RunEvent[] =>
  found(state, verdict, "RunAtGate");

test("G7 a claim of success without evidence is NEEDS WORK, and completes a run that asks for no more", () => {
  const state = begun([[]]);
  claims(state);
  assert.equal(state.status, "completed");
  assert.equal(statusView(state, null).reality?.verdict, "NEEDS WORK");
  const asked = begun([[]], { reality: { demand: true } });
  const events = claims(asked);
  assert.deepEqual(
    only(events, "RealityChecked").map(({ verdict }) => verdict),
    ["NEEDS WORK"],
  );
  assert.equal(asked.status, "blocked");
  assert.match(asked.blocked?.detail ?? "", /no check was run/);
  const [escalation = ""] = Object.keys(asked.escalations);
  const request = { kind: "unblock", escalation } as const;
  takeTurn(asked, [{ type: "RequestHeard", data: { requestId: "r1", request, by: "anna" } }], now + 1_000);
  assert.equal(asked.status, "completed");
});

test("G7 evidence of several steps is run again over the files as they are at the end, and then the run is READY", () => {
  const state = begun([CHECK, [{ run: "npm run lint" }]]);
  claims(state);
  found(state, "pass");
  claims(state);
  found(state, "pass");
  assert.equal(state.status, "running");
  assert.deepEqual(only(atEnd(state, "pass"), "RealityChecked"), []);
  const events = atEnd(state, "pass");
  assert.deepEqual(
    only(events, "RealityChecked").map(({ verdict }) => verdict),
    ["READY"],
  );
  assert.equal(state.status, "completed");
});

test("G7 one step that was checked a moment ago is READY; with always its check is run again all the same", () => {
  const state = begun([CHECK]);
  claims(state);
  assert.equal(only(found(state, "pass"), "RealityChecked")[0]?.verdict, "READY");
  assert.equal(state.status, "completed");
  const again = begun([CHECK], { reality: { when: "always" } });
  claims(again);
  found(again, "pass");
  assert.equal(again.status, "running");
  assert.equal(only(atEnd(again, "pass"), "RealityChecked")[0]?.verdict, "READY");
});

test("G7 evidence that does not hold at the end is NOT READY and re-opens the step that gave it, so often and no more", () => {
  const state = begun([CHECK, []], { checks: { tries: 2, baseline: false } });
  claims(state);
  found(state, "pass");
  claims(state);
  const first = atEnd(state, "fail");
  assert.deepEqual(
    only(first, "RealityChecked").map(({ verdict, reopened }) => [verdict, reopened]),
    [["NOT READY", ["s0"]]],
  );
  const [start] = only(first, "EffectIntended");
  assert.ok(start?.effect.kind === "StartAgent" && start.effect.step === "s0");
  assert.match(start.effect.task, /at the end of the run[^]*1 failing/);
  assert.equal(state.reality.verdict, null);
  claims(state);
  found(state, "pass");
  claims(state);
  atEnd(state, "fail");
  assert.equal(state.blocked?.reason, "retries_exhausted");
  assert.match(state.blocked?.detail ?? "", /NOT READY/);
});

test("G7 work that rests on a word alone is NEEDS WORK beside evidence for the rest", () => {
  const state = begun([CHECK, []]);
  claims(state);
  found(state, "pass");
  claims(state);
  const [checked] = only(atEnd(state, "pass"), "RealityChecked");
  assert.equal(checked?.verdict, "NEEDS WORK");
  assert.match(checked.why, /only their agents say that these are done: s1/);
  assert.equal(state.status, "completed");
});

test("G7 a command of the settings is evidence for the whole, and without any word of it nothing is run", () => {
  const state = begun([[]], { reality: { checks: ["npm test"] } });
  claims(state);
  assert.equal(only(atEnd(state, "pass"), "RealityChecked")[0]?.verdict, "READY");
  const never = begun([CHECK, CHECK], { reality: { when: "never" } });
  claims(never);
  found(never, "pass");
  claims(never);
  found(never, "pass");
  assert.equal(never.status, "completed");
  assert.equal(statusView(never, null).reality, null);
});
