import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../src/fold/evolve.ts";
import { recoveryChoices } from "../../src/decide/recovery/recovery-choices.ts";
import type { EventData, EventType, RunEvent } from "../../src/model/events/events.ts";
import { flowSchema } from "../../src/model/flow/flow.ts";
import { HOOK_POINTS, type HookReport } from "../../src/model/flow/hook.ts";
import { policySchema } from "../../src/model/flow/policy.ts";
import type { RunRequest } from "../../src/model/requests/requests.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { takeTurn } from "../../src/runtime/take-turn.ts";
import { done, says } from "./agent-words.ts";

interface Wish {
  readonly steps?: readonly Record<string, unknown>[];
  readonly policies?: readonly Record<string, unknown>[];
  readonly hooks?: readonly Record<string, unknown>[];
}

function begun({ steps = [{}], policies = [], hooks = [] }: Wish): RunState {
  const named = steps.map((step, index) => ({
    name: `s${String(index)}`,
    task: "work",
    agent: "dev",
    ...step,
  }));
  const data = {
    goal: "g",
    flow: flowSchema.parse({ name: "f", steps: named }),
    agents: { dev: { use: "demo" as const }, other: { use: "demo" as const } },
    settings: runSettingsSchema.parse({ policies, hooks, backoff: { baseMs: 1, capMs: 1 } }),
    budget: {},
    cwd: "/tmp",
    by: "test",
  };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [claimed(1)], 0);
  return state;
}

const claimed = (epoch: number): RunEvent => ({
  type: "RunClaimed",
  data: { owner: "o", epoch, from: "nobody" },
});
const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.flatMap((event) => (event.type === type ? [event.data as EventData<Type>] : []));
let requests = 0;
const asked = (request: RunRequest): RunEvent => ({
  type: "RequestHeard",
  data: { requestId: `r${String((requests += 1))}`, request, by: "ada" },
});

/** Does what one of the block's choices says, word for word. */
function unblock(state: RunState, at: number): RunEvent[] {
  assert.ok(state.blocked !== null, "the run is not blocked");
  const choices = recoveryChoices(state, state.blocked).map(({ words }) => words);
  const [, escalation = ""] = choices.find(([verb]) => verb === "unblock") ?? assert.fail("not a choice");
  return takeTurn(state, [asked({ kind: "unblock", escalation })], at);
}

const hookUnderWay = (state: RunState): string[] =>
  Object.entries(state.effects).flatMap(([key, { kind }]) => (kind === "RunHook" ? [key] : []));

/** The hook under way answers. */
function answer(state: RunState, report: Partial<HookReport>, at: number): RunEvent[] {
  const [key] = hookUnderWay(state);
  assert.ok(key !== undefined, "no hook is under way");
  const hook: HookReport = {
    decision: "continue",
    message: "",
    failed: false,
    tampered: [],
    durationMs: 5,
    ...report,
  };
  return takeTurn(state, [{ type: "EffectSettled", data: { key, outcome: { kind: "done", hook } } }], at);
}

test("G11 a rule that forbids an agent for a step holds the step, lets others go on, and passes once unblocked", () => {
  const policies = [{ name: "not-dev", then: "block", forbidsAgent: "dev", step: "s0" }];
  const state = begun({ steps: [{}, { agent: "other" }], policies });
  assert.deepEqual(Object.keys(state.attempts), ["s1#1"]);
  const events = takeTurn(state, [done("s1#1")], 1_000);
  assert.deepEqual(
    only(events, "PolicyApplied").map(({ policy, then, evidence }) => [policy, then, evidence]),
    [["not-dev", "block", ["step s0 would be done by dev"]]],
  );
  assert.equal(state.blocked?.reason, "policy_escalation");
  unblock(state, 2_000);
  assert.deepEqual(Object.keys(state.attempts), ["s0#1"]);
});

test("G11 a cap of turns that blocks ends the session uncharged; one that escalates lets it live; one that warns only notifies", () => {
  const word = { kind: "message", from: "agent", text: "now" } as const;
  const result = { kind: "tool_result", ok: true } as const;
  for (const then of ["block", "escalate", "warn"] as const) {
    const state = begun({ policies: [{ name: "few", then, maxTurns: 1 }] });
    takeTurn(state, [says("s0#1", word)], 1_000);
    assert.equal(state.status, "running");
    const events = takeTurn(state, [says("s0#1", result, word)], 2_000);
    assert.deepEqual(only(events, "PolicyApplied")[0]?.evidence, ["s0#1 has taken 2 turns, of 1 allowed"]);
    assert.deepEqual(
      only(events, "AttemptEnding").map(({ to }) => to),
      then === "block" ? ["policy"] : [],
    );
    assert.equal(state.blocked?.reason, then === "warn" ? undefined : "policy_escalation");
    assert.equal(state.blocked?.attemptKept, then === "warn" ? undefined : then === "escalate");
    if (then === "warn") continue;
    unblock(state, 3_000);
    assert.equal(state.status, "running", "it is asked once, not for ever");
  }
});

test("G11 rules about cost, the same role in a row and the state of another step are found before a step is given out", () => {
  const usage = { kind: "usage", usd: 2 } as const;
  const failed = { kind: "exit", how: "code", code: 1 } as const;
  const cost = begun({ policies: [{ name: "dear", then: "escalate", maxUsd: 5 }] });
  takeTurn(cost, [says("s0#1", { ...usage, usd: 5 }, failed)], 1_000);
  takeTurn(cost, [], 2_000);
  assert.match(cost.blocked?.detail ?? "", /policy "dear": step s0 has cost 5 of 5 usd/);
  const chain = [{}, { needs: ["s0"] }, { needs: ["s1"] }];
  const row = begun({ steps: chain, policies: [{ name: "turns", then: "escalate", sameInARow: 2 }] });
  takeTurn(row, [done("s0#1")], 1_000);
  assert.equal(row.status, "running");
  takeTurn(row, [done("s1#1")], 2_000);
  assert.match(row.blocked?.detail ?? "", /dev has begun the last 2 attempts/);
  const policies = [{ name: "order", then: "block", step: "s0", requires: { step: "s1" } }];
  const order = begun({ steps: [{}, {}], policies });
  assert.deepEqual(Object.keys(order.attempts), ["s1#1"]);
  takeTurn(order, [done("s1#1")], 1_000);
  assert.deepEqual(Object.keys(order.attempts), ["s0#1"], "the rule is met by now");
});

test("G11 a step that a person has let pass a rule is not ended for it again", () => {
  const usage = { kind: "usage", usd: 6 } as const;
  const gone = { kind: "exit", how: "signal", signal: "SIGTERM" } as const;
  const state = begun({ policies: [{ name: "dear", then: "block", maxUsd: 5 }] });
  const first = takeTurn(state, [says("s0#1", usage)], 1_000);
  assert.deepEqual(
    only(first, "AttemptEnding").map(({ to }) => to),
    ["policy"],
  );
  takeTurn(state, [says("s0#1", gone)], 2_000);
  unblock(state, 3_000);
  takeTurn(state, [], 4_000);
  assert.deepEqual(Object.keys(state.attempts), ["s0#2"]);
  const second = takeTurn(state, [says("s0#2", usage)], 5_000);
  assert.deepEqual(only(second, "PolicyApplied"), []);
  assert.equal(state.status, "running");
  takeTurn(state, [done("s0#2")], 6_000);
  assert.equal(state.status, "completed");
});

test("G11 a policy says exactly one thing", () => {
  assert.equal(policySchema.safeParse({ name: "a", then: "warn" }).success, false);
  assert.equal(policySchema.safeParse({ name: "a", then: "warn", maxTurns: 1, maxUsd: 1 }).success, false);
});

test("G12 hooks are called at their points in order, each once, and the run waits for them", () => {
  const points = HOOK_POINTS.filter((at) => at !== "before_gate" && at !== "on_escalation");
  const hooks = points.map((at) => ({ name: at, at, run: "true" }));
  const state = begun({ hooks });
  const called: string[] = [];
  const note = (): void => {
    const effect = state.effects[hookUnderWay(state)[0] ?? ""];
    if (effect?.kind === "RunHook") called.push(effect.hook.name);
  };
  note();
  assert.deepEqual(Object.keys(state.attempts), [], "nothing begins before the hook has answered");
  answer(state, {}, 1_000);
  takeTurn(
    state,
    [{ type: "EffectSettled", data: { key: "s0#1/StartAgent", outcome: { kind: "done" } } }],
    2_000,
  );
  note();
  answer(state, {}, 3_000);
  takeTurn(state, [done("s0#1")], 4_000);
  for (let at = 5_000; hookUnderWay(state).length > 0 && at < 20_000; at += 1_000) {
    note();
    assert.notEqual(state.status, "completed");
    answer(state, {}, at);
  }
  assert.deepEqual(called, points);
  assert.equal(state.status, "completed");
});

test("G12 a hook that says no blocks; `retry` calls it again, `unblock` goes on past it, and both are journaled", () => {
  const hooks = [{ name: "gatekeeper", at: "before_dispatch", run: "true" }];
  const state = begun({ hooks });
  const events = answer(state, { decision: "block", message: "not on a Friday" }, 1_000);
  assert.deepEqual(
    only(events, "HookJudged").map(({ hook, outcome, why }) => [hook, outcome, why]),
    [["gatekeeper", "blocked", "not on a Friday"]],
  );
  assert.equal(state.blocked?.reason, "hook_block");
  takeTurn(state, [asked({ kind: "retry", step: "s0" })], 2_000);
  assert.equal(hookUnderWay(state).length, 1, "it is asked again");
  answer(state, { decision: "block", message: "still no" }, 3_000);
  unblock(state, 4_000);
  assert.deepEqual(Object.keys(state.attempts), ["s0#1"]);
});

test("G12 a hook that fails blocks or warns as it is declared; one that touches what it must not is distinguished", () => {
  for (const [onFailure, status] of [
    ["block", "blocked"],
    ["warn", "running"],
  ] as const) {
    const state = begun({ hooks: [{ name: "h", at: "before_dispatch", run: "x", onFailure }] });
    answer(state, { decision: "block", failed: true, message: "it ended with 127" }, 1_000);
    assert.equal(state.status, status);
  }
  const state = begun({ hooks: [{ name: "h", at: "before_dispatch", run: "x" }] });
  answer(state, { tampered: ["AGENTS.md"] }, 1_000);
  assert.equal(state.blocked?.reason, "hook_tamper");
  assert.match(state.blocked?.detail ?? "", /it changed AGENTS\.md/);
  assert.ok(state.blocked !== null);
  assert.deepEqual(
    recoveryChoices(state, state.blocked).map(({ words }) => words),
    [
      ["trust", "run_1", "--show-diff", "--dry-run"],
      ["trust", "run_1"],
      ["trust", "run_1", "--undo"],
      ["cancel", "run_1"],
    ],
    "the first only shows; to settle the files settles the hook too",
  );
  takeTurn(state, [asked({ kind: "trust", trees: [] })], 2_000);
  assert.deepEqual(Object.keys(state.attempts), ["s0#1"]);
});

test("G12 a hook that was under way when its supervisor died is asked about, or called again where it may be", () => {
  for (const idempotent of [false, true]) {
    const state = begun({ hooks: [{ name: "h", at: "before_dispatch", run: "x", idempotent }] });
    takeTurn(state, [claimed(2)], 1_000);
    assert.equal(state.blocked?.reason, idempotent ? undefined : "in_doubt");
    assert.equal(hookUnderWay(state).length, idempotent ? 1 : 0);
    if (idempotent) continue;
    assert.ok(state.blocked !== null);
    assert.deepEqual(
      recoveryChoices(state, state.blocked).map(({ words }) => words),
      [
        ["why", "run_1"],
        ["retry", "run_1", "--step", "s0"],
        ["cancel", "run_1"],
      ],
    );
    takeTurn(state, [asked({ kind: "retry", step: "s0" })], 2_000);
    assert.equal(hookUnderWay(state).length, 1);
  }
});

test("G12 what was called after a step and is in doubt has the run go on, and the step is not worked again", () => {
  const state = begun({ hooks: [{ name: "h", at: "after_acceptance", run: "x" }] });
  takeTurn(state, [done("s0#1")], 1_000);
  assert.equal(hookUnderWay(state).length, 1);
  takeTurn(state, [claimed(2)], 2_000);
  assert.equal(state.blocked?.reason, "in_doubt");
  const events = unblock(state, 3_000);
  assert.deepEqual(only(events, "StepReset"), []);
  assert.equal(state.status, "completed");
});

test("G12 a hook on escalation is called for each, and cannot block what is blocked", () => {
  const state = begun({ hooks: [{ name: "page", at: "on_escalation", run: "x" }] });
  takeTurn(state, [asked({ kind: "escalate", note: "look" })], 1_000);
  takeTurn(state, [], 1_001);
  assert.equal(hookUnderWay(state).length, 1);
  const events = answer(state, { decision: "block" }, 2_000);
  assert.deepEqual(
    only(events, "HookJudged").map(({ outcome }) => outcome),
    ["warned"],
  );
});
