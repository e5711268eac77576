import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import { flowSchema, type AgentSpec } from "../../../src/model/flow/flow.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { costText } from "../../../src/views/text/cost-text.ts";
import { says } from "../../decide/agent-words.ts";

const PRICES = { "dear-*": { input: 10, output: 100, cachedInput: 1 } };

/** A run whose agent has said this. */
function after(signals: readonly Signal[], dev: AgentSpec = { use: "demo" }, prices = PRICES): RunState {
  const data = {
    goal: "g",
    flow: flowSchema.parse({ name: "f", steps: [{ name: "s0", task: "work", agent: "dev" }] }),
    agents: { dev },
    settings: runSettingsSchema.parse({ prices }),
    budget: {},
    cwd: "/tmp",
    by: "test",
  };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [{ type: "RunClaimed", data: { owner: "o", epoch: 1, from: "nobody" } }], 0);
  takeTurn(state, [says("s0#1", ...signals)], 1_000);
  return state;
}

const usage = (more: object): Signal => ({ kind: "usage", tokensIn: 1_000_000, ...more });

test("G9 tokens without money are priced by the model of the signal, else by the agent's", () => {
  const state = after([usage({ model: "dear-one" }), usage({ model: "dear-one", cachedIn: 1_000_000 })]);
  assert.deepEqual([state.spent.usd, state.spent.tokens], [11, 2_000_000]);
  assert.deepEqual(state.counted, { pricedUsd: 11, unpricedTokens: 0 });
  assert.equal(after([usage({})], { use: "demo", model: "dear-two" }).spent.usd, 10);
  assert.deepEqual(after([usage({})]).counted, { pricedUsd: 0, unpricedTokens: 1_000_000 });
});

test("G9 money that an agent reports is not priced again", () => {
  const state = after([usage({ model: "dear-one", usd: 2 }), { kind: "usage", usd: 1 }]);
  assert.deepEqual([state.spent.usd, state.counted.pricedUsd], [3, 0]);
});

test("G9 an agent's own total replaces what was priced of its session before", () => {
  const state = after([
    usage({ model: "dear-one" }),
    usage({ model: "nobody-knows" }),
    { kind: "usage", tokensOut: 5, usdTotal: 7.5 },
  ]);
  assert.deepEqual([state.spent.usd, state.spent.tokens], [7.5, 2_000_005]);
  assert.deepEqual(state.counted, { pricedUsd: 0, unpricedTokens: 0 });
  assert.equal(state.steps["s0"]?.spent.usd, 7.5);
});

test("G9 turns are the requests that a driver counts, also those guessed before its first count", () => {
  const call = { kind: "tool_call", name: "read" } as const;
  const result = { kind: "tool_result", ok: true } as const;
  const state = after([call, result, call, result, usage({ requests: 1 }), call, result, call, result]);
  assert.equal(state.spent.turns, 1);
  takeTurn(state, [says("s0#1", usage({ requests: 2 }))], 2_000);
  assert.equal(state.spent.turns, 3);
});

test("G9 a journal without a table of prices folds as it did before", () => {
  const state = after(
    [usage({}), { kind: "usage", usd: 0.5 }],
    { use: "claude", model: "claude-opus-4-8" },
    {} as never,
  );
  assert.equal(state.spent.usd, 0.5);
});

test("G9 pieces and totals of one session may come in any order, and count once", () => {
  const piece = (tokensIn: number): Signal => ({ kind: "usage", tokensIn, tokensOut: 1, requests: 1 });
  const total = { kind: "usage", tokensInTotal: 30, tokensOutTotal: 9, requestsTotal: 2 } as const;
  const early = { kind: "usage", tokensInTotal: 10, tokensOutTotal: 4, requestsTotal: 1 } as const;
  for (const signals of [
    [piece(10), piece(20), total],
    [early, piece(10), total, piece(20)],
    [total, piece(10), early, piece(20), total],
  ]) {
    const { spent } = after(signals, { use: "demo", model: "dear-one" });
    assert.deepEqual([spent.tokens, spent.turns], [39, 2]);
    assert.ok(Math.abs(spent.usd - (30 * 10 + 9 * 100) / 1e6) < 1e-12);
  }
});

test("G9 what was counted too much is taken back", () => {
  const state = after([
    usage({ model: "dear-one" }),
    { kind: "usage", tokensIn: -500_000, tokensOut: 500_000 },
  ]);
  assert.equal(state.spent.tokens, 1_000_000);
  assert.ok(Math.abs(state.spent.usd - 55) < 1e-9);
});

test("G9 O1 status says where money is priced from tokens, and where there is no price", () => {
  assert.equal(costText(after([usage({ model: "dear-one", usd: 2 })])), null);
  assert.equal(costText(after([usage({ model: "dear-one" })])), "about $10.00, priced from tokens");
  assert.equal(
    costText(after([usage({ model: "dear-one" }), { kind: "usage", usd: 2 }])),
    "about $12.00, of which $10.00 is priced from tokens",
  );
  assert.match(costText(after([usage({})])) ?? "", /^1000000 tokens of a model without a price/);
});
