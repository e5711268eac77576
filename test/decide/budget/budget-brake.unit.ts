import assert from "node:assert/strict";
import { test } from "node:test";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import type { EventData, RunEvent } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { done, says } from "../agent-words.ts";
import { MINUTE, answerOf, asked, begun, followAdvice, only, started } from "../budgeted-run.ts";

const SECOND = 1_000;
const usd = (amount: number): Signal => ({ kind: "usage", usd: amount });
const tokens = (amount: number): Signal => ({ kind: "usage", tokensIn: amount });

type Budget = EventData<"RunCreated">["budget"];

/** A run whose first attempt is at work, with a conversation that can be continued. */
function atWork(budget: Budget, more: Parameters<typeof begun>[0] = {}): RunState {
  const state = begun({ budget, ...more });
  for (const attempt of Object.keys(state.attempts))
    takeTurn(
      state,
      [started(attempt), says(attempt, { kind: "conversation", id: `talk-${attempt}` })],
      SECOND,
    );
  return state;
}

const suspended = (events: readonly RunEvent[]): string[] =>
  only(events, "AttemptEnding").flatMap(({ attempt, to }) => (to === "suspended" ? [attempt] : []));

/** The driver has ended the session. */
const ended = (attempt: string): RunEvent[] => [
  { type: "EffectSettled", data: { key: `${attempt}/EndAgent`, outcome: { kind: "done" } } },
  says(attempt, { kind: "exit", how: "signal", signal: "TERM" }),
];

const call = (args: string): Signal[] => [
  { kind: "tool_call", name: "read", args },
  { kind: "tool_result", name: "read", ok: true, text: `content of ${args}` },
];

test("B2 at 100 % a turn may still end: what finishes within the grace is accepted", () => {
  const state = atWork({ usd: 0.5 });
  const over = takeTurn(state, [says("s0#1", usd(0.51))], 10 * SECOND);
  assert.deepEqual(
    only(over, "BudgetPressed").map(({ level }) => level),
    ["spent"],
  );
  assert.deepEqual(suspended(over), []);
  assert.equal(state.status, "running");
  takeTurn(state, [done("s0#1")], 60 * SECOND);
  assert.equal(state.steps["s0"]?.status, "succeeded");
  assert.equal(state.status, "completed");
});

test("B2 the grace is over after 2 minutes: the run is blocked and its session suspended, uncharged", () => {
  const state = atWork({ usd: 0.5 });
  takeTurn(state, [says("s0#1", usd(0.51))], 10 * SECOND);
  assert.equal(nextDeadline(state, 11 * SECOND), 130 * SECOND, "a live timer ends it");
  assert.deepEqual(suspended(takeTurn(state, [], 130 * SECOND - 1)), []);
  const braked = takeTurn(state, [], 130 * SECOND);
  assert.deepEqual(suspended(braked), ["s0#1"]);
  assert.equal(state.blocked?.reason, "budget_exhausted");
  assert.equal(state.blocked.detail, "budget exceeded: $0.51 of $0.50 ($0.01 over)");
  takeTurn(state, ended("s0#1"), 131 * SECOND);
  const step = state.steps["s0"];
  assert.deepEqual([step?.charged, step?.conversation?.id, step?.status], [0, "talk-s0#1", "pending"]);
});

test("B2 `budget.graceMs` and `budget.gracePct` change the grace", () => {
  const quick = atWork({ usd: 0.5, graceMs: 5_000 });
  takeTurn(quick, [says("s0#1", usd(0.51))], 10 * SECOND);
  assert.deepEqual(suspended(takeTurn(quick, [], 15 * SECOND)), ["s0#1"]);
  const wide = atWork({ usd: 10, gracePct: 50 });
  takeTurn(wide, [says("s0#1", ...Array.from({ length: 14 }, () => usd(1)))], 10 * SECOND);
  assert.equal(wide.status, "running");
  takeTurn(wide, [says("s0#1", usd(1))], 11 * SECOND);
  assert.equal(wide.status, "blocked");
});

test("B2 the overshoot ends the grace at 5 % of the budget, or at one request where that is more", () => {
  const small = atWork({ tokens: 100_000 });
  takeTurn(small, [says("s0#1", ...Array.from({ length: 104 }, () => tokens(1_000)))], 10 * SECOND);
  assert.equal(small.status, "running", "104,000 of 100,000 are within 5 %");
  assert.deepEqual(suspended(takeTurn(small, [says("s0#1", tokens(1_000))], 11 * SECOND)), ["s0#1"]);
  assert.equal(small.blocked?.detail, "budget exceeded: 105,000 of 100,000 tokens (5,000 over)");
  const large = atWork({ tokens: 100_000 });
  takeTurn(large, [says("s0#1", tokens(60_000), tokens(60_000))], 10 * SECOND);
  assert.equal(large.status, "running", "one request overshoots by less than itself");
  assert.deepEqual(suspended(takeTurn(large, [says("s0#1", tokens(60_000))], 11 * SECOND)), ["s0#1"]);
});

test("B2 with a loop verdict there is no grace: the session is suspended at 100 %", () => {
  const state = atWork({ usd: 10 });
  const same = Array.from({ length: 4 }, () => call("a.ts")).flat();
  takeTurn(state, [says("s0#1", ...same)], 10 * SECOND);
  assert.equal(state.attempts["s0#1"]?.assessed.pattern, "tool_loop");
  assert.deepEqual(suspended(takeTurn(state, [says("s0#1", usd(9.99))], 11 * SECOND)), []);
  assert.deepEqual(suspended(takeTurn(state, [says("s0#1", usd(0.01))], 12 * SECOND)), ["s0#1"]);
  assert.equal(state.blocked?.detail, "budget reached: $10.00 of $10.00");
});

test("B2 a loop verdict that comes within the grace ends it", () => {
  const state = atWork({ usd: 10 });
  takeTurn(state, [says("s0#1", usd(10.1))], 10 * SECOND);
  const same = Array.from({ length: 4 }, () => call("a.ts")).flat();
  assert.deepEqual(suspended(takeTurn(state, [says("s0#1", ...same)], 11 * SECOND)), ["s0#1"]);
});

test("B2 a budget that only warns never brakes", () => {
  const state = atWork({ usd: 1, onExceed: "warn" });
  const same = Array.from({ length: 4 }, () => call("a.ts")).flat();
  takeTurn(state, [says("s0#1", usd(50), usd(50), ...same)], 10 * SECOND);
  assert.deepEqual(suspended(takeTurn(state, [], 10 * MINUTE)), []);
  assert.notEqual(state.blocked?.reason, "budget_exhausted");
});

test("B2 time and turns brake as money does", () => {
  const time = atWork({ timeMs: 10 * MINUTE });
  takeTurn(time, [], 10 * MINUTE);
  assert.equal(nextDeadline(time, 10 * MINUTE + 1), 10.5 * MINUTE, "5 % come before 2 minutes");
  assert.deepEqual(suspended(takeTurn(time, [], 10.5 * MINUTE)), ["s0#1"]);
  assert.equal(time.blocked?.detail, "budget exceeded: 630s of 10m (30s over)");
  const turns = atWork({ turns: 3 });
  const answer = (n: number): Signal[] => call(`${String(n)}.ts`);
  takeTurn(turns, [says("s0#1", ...answer(1), ...answer(2), ...answer(3))], 10 * SECOND);
  assert.equal(turns.status, "running");
  assert.deepEqual(suspended(takeTurn(turns, [says("s0#1", ...answer(4))], 11 * SECOND)), ["s0#1"]);
  assert.equal(turns.blocked?.detail, "budget exceeded: 4 of 3 turns (1 over)");
});

test("B2 attempts under one run budget brake together", () => {
  const steps = [{ authority: "reviews" }, { authority: "reviews" }];
  const state = atWork({ usd: 10 }, { steps });
  assert.equal(Object.keys(state.attempts).length, 2);
  takeTurn(state, [says("s0#1", usd(6)), says("s1#1", usd(5))], 10 * SECOND);
  assert.equal(state.status, "running");
  assert.deepEqual(suspended(takeTurn(state, [], 131 * SECOND)), ["s0#1", "s1#1"]);
  assert.equal(state.blocked?.reason, "budget_exhausted");
});

test("B2 an attempt that loops is suspended at 100 %, while another one beside it may end its turn", () => {
  const steps = [{ authority: "reviews" }, { authority: "reviews" }];
  const state = atWork({ usd: 10 }, { steps });
  const same = Array.from({ length: 4 }, () => call("a.ts")).flat();
  takeTurn(state, [says("s0#1", ...same, usd(5)), says("s1#1", usd(5.1))], 10 * SECOND);
  assert.equal(state.attempts["s0#1"]?.ending, "suspended");
  assert.equal(state.attempts["s1#1"]?.ending, null);
  assert.equal(state.status, "running");
  takeTurn(state, [...ended("s0#1"), done("s1#1")], 20 * SECOND);
  assert.equal(state.steps["s1"]?.status, "succeeded");
  assert.equal(state.blocked?.reason, "budget_exhausted");
});

test("B2 a step's own budget brakes that step alone", () => {
  const steps = [{ budget: { usd: 1, graceMs: 1_000 }, authority: "reviews" }, { authority: "reviews" }];
  const state = atWork({}, { steps });
  takeTurn(state, [says("s0#1", usd(1.01))], 10 * SECOND);
  assert.deepEqual(suspended(takeTurn(state, [], 11 * SECOND)), ["s0#1"]);
  takeTurn(state, ended("s0#1"), 12 * SECOND);
  assert.equal(state.status, "running", "s1 is at work");
  takeTurn(state, [done("s1#1")], 13 * SECOND);
  assert.equal(state.blocked?.detail, 'step "s0": budget exceeded: $1.01 of $1.00 ($0.01 over)');
});

test("B2 G9 the printed command continues in the same conversation, with its grace counted from there", () => {
  const state = atWork({ usd: 0.5, graceMs: 1_000 }, { use: "claude" });
  takeTurn(state, [says("s0#1", usd(0.53))], 10 * SECOND);
  takeTurn(state, [], 11 * SECOND);
  takeTurn(state, ended("s0#1"), 12 * SECOND);
  const events = followAdvice(state, 10 * MINUTE);
  assert.equal(state.status, "running");
  const [start] = only(events, "EffectIntended").flatMap(({ effect }) =>
    effect.kind === "StartAgent" ? [effect] : [],
  );
  assert.equal(start?.resume, "talk-s0#1");
  takeTurn(state, [started("s0#2"), says("s0#2", usd(0.1))], 11 * MINUTE);
  assert.equal(state.attempts["s0#2"]?.ending, null);
});

test("B2 what happened while no supervisor lived is received before the brake acts", () => {
  const state = atWork({ usd: 0.5 });
  takeTurn(state, [says("s0#1", usd(0.51))], 10 * SECOND);
  const claimed = { owner: "o2", epoch: 2, from: "gone" } as const;
  const first = takeTurn(state, [{ type: "RunClaimed", data: claimed }], 30 * MINUTE);
  assert.deepEqual(suspended(first), [], "it may have ended by itself meanwhile");
  assert.deepEqual(suspended(takeTurn(state, [], 30 * MINUTE + 5_000)), ["s0#1"]);
});

test("B2 a budget of money stops a run whose model turns out to have no price, and the printed command continues it", () => {
  const state = begun({ budget: { usd: 5 }, use: "codex" });
  takeTurn(
    state,
    [started("s0#1"), says("s0#1", { kind: "usage", tokensIn: 900, tokensOut: 100, model: "fake" })],
    1_000,
  );
  assert.equal(state.blocked?.reason, "budget_exhausted");
  assert.match(state.blocked.detail, /"fake" has no price.*1,000 tokens/);
  assert.equal(state.attempts["s0#1"]?.ending, "suspended");
  followAdvice(state, 2_000);
  assert.equal(state.status, "running");
  assert.equal(state.budget.uncounted, "allow");
});

test("B2 a step's own budget of money stops at a model without a price, and the printed command continues it", () => {
  const state = begun({ steps: [{ budget: { usd: 5 } }], use: "opencode" });
  takeTurn(
    state,
    [started("s0#1"), says("s0#1", { kind: "usage", tokensIn: 900, tokensOut: 100, model: "fake" })],
    1_000,
  );
  assert.equal(state.blocked?.reason, "budget_exhausted");
  assert.match(state.blocked.detail, /^the budget of step "s0" limits money.*"fake" has no price/);
  assert.equal(state.attempts["s0#1"]?.ending, "suspended");
  const more = asked({ kind: "set", changes: [{ key: "step.s0.budget.usd", value: 50 }] });
  assert.match(answerOf(takeTurn(state, [more], 1_500)), /cannot be counted/);
  followAdvice(state, 2_000);
  assert.equal(state.status, "running");
  assert.equal(state.steps["s0"]?.spec.budget?.uncounted, "allow");
});

test("B2 what was accepted for the run, and a step with a budget of turns too, let a model without a price work", () => {
  for (const [budget, ofStep] of [
    [{ uncounted: "allow" }, { usd: 5 }],
    [{}, { usd: 5, turns: 40 }],
    [{}, { usd: 5, onExceed: "warn" }],
  ] as const) {
    const state = begun({ steps: [{ budget: ofStep }], budget, use: "codex" });
    takeTurn(
      state,
      [started("s0#1"), says("s0#1", { kind: "usage", tokensIn: 900, tokensOut: 100, model: "fake" })],
      1_000,
    );
    assert.equal(state.status, "running", JSON.stringify(ofStep));
  }
});

test("B2 a budget of money beside one of turns, or one that only warns, leaves a model without a price at work", () => {
  for (const budget of [
    { usd: 5, turns: 40 },
    { usd: 5, onExceed: "warn" },
    { usd: 5, uncounted: "allow" },
  ] as const) {
    const state = begun({ budget, use: "codex" });
    takeTurn(
      state,
      [started("s0#1"), says("s0#1", { kind: "usage", tokensIn: 900, tokensOut: 100, model: "fake" })],
      1_000,
    );
    assert.equal(state.status, "running", JSON.stringify(budget));
  }
});
