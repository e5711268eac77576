import assert from "node:assert/strict";
import { test } from "node:test";
import { countAsked } from "../../../src/decide/requests/asked-budget.ts";
import type { AskedSpent } from "../../../src/fold/resource/spent-today.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { done } from "../agent-words.ts";
import { asked, begun, followAdvice } from "../budgeted-run.ts";

const SECOND = 1_000;

/** A run whose only step is reviewed, and has come to its end for that much money. */
function reviewed(usd: number, budget: NonNullable<Parameters<typeof begun>[0]["budget"]>): RunState {
  const state = begun({ steps: [{ reviewers: ["dev"] }], budget });
  takeTurn(state, [done("s0#1", { kind: "usage", usd })], 10 * SECOND);
  return state;
}

const reviewOf = (state: RunState) =>
  Object.values(state.effects).flatMap((effect) => (effect.kind === "AskReview" ? [effect] : []))[0];

const keyOf = (state: RunState, kind: string): string =>
  Object.keys(state.effects).find((key) => state.effects[key]?.kind === kind) ?? "";

const settled = (key: string, outcome: unknown): RunEvent =>
  ({ type: "EffectSettled", data: { key, outcome } }) as RunEvent;

test("B2 a reviewer may use what is left of the run's budget, and no more", () => {
  const effect = reviewOf(reviewed(4.9, { usd: 5, tokens: 1_000 }));
  assert.equal(
    Math.round((effect?.usd ?? 0) * 100) / 100,
    0.35,
    "5 and 5 % of it, without the 4.90 that are spent",
  );
  assert.equal(effect?.tokens, 1_050);
});

test("B2 no reviewer is asked once the run's budget is spent; more money has the same work reviewed", () => {
  const state = reviewed(6, { usd: 5 });
  assert.equal(reviewOf(state), undefined);
  assert.equal(state.blocked?.detail, "budget exceeded: $6.00 of $5.00 ($1.00 over)");
  followAdvice(state, 20 * SECOND);
  assert.notEqual(reviewOf(state), undefined);
  assert.equal(state.steps["s0"]?.started, 1, "the work is not done again");
});

test("B2 what a reviewer costs is the run's, also of one that is broken off", () => {
  const state = reviewed(1, { usd: 50 });
  const used = { usd: 0.5, tokens: 700 };
  const broken = { kind: "failed", text: "the reviewer was ended", terminal: false, used };
  takeTurn(state, [settled(keyOf(state, "AskReview"), broken)], 20 * SECOND);
  assert.deepEqual([state.spent.usd, state.spent.tokens], [1.5, 700]);
  takeTurn(state, [asked({ kind: "pause" })], 30 * SECOND);
  takeTurn(state, [settled(keyOf(state, "EndAgent"), { kind: "done", used })], 31 * SECOND);
  assert.deepEqual([state.spent.usd, state.spent.tokens, state.status], [2, 1_400, "paused"]);
});

test("B2 money of those who are asked is counted as of attempts: total, amounts, or the price of tokens", () => {
  const prices = { "some-model": { input: 10, output: 20 } };
  const spent: AskedSpent = { usd: 0, tokens: 0 };
  countAsked(spent, { kind: "usage", tokensIn: 100_000, model: "some-model" }, { prices });
  assert.deepEqual([spent.usd, spent.tokens], [1, 100_000]);
  countAsked(spent, { kind: "usage", usd: 0.5 }, {});
  countAsked(spent, { kind: "usage", tokensOut: 50_000 }, { prices, model: "some-model" });
  assert.deepEqual([spent.usd, spent.tokens], [2.5, 150_000]);
  countAsked(spent, { kind: "usage", usdTotal: 2.25 }, {});
  assert.equal(spent.usd, 2.25);
});
