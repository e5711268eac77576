import assert from "node:assert/strict";
import { test } from "node:test";
import { priceOf, usdOf } from "../../../src/model/settings/prices.ts";
import {
  PRICES_WRITTEN,
  SHIPPED_PRICES,
  withShippedPrices,
} from "../../../src/model/settings/shipped-prices.ts";

const inputOf = (model: string, own = {}): number | undefined =>
  priceOf(withShippedPrices(own), model)?.input;

test("G9 the main models have a shipped price, no matter what stands around their name", () => {
  assert.match(PRICES_WRITTEN, /^\d{4}-\d{2}-\d{2}$/);
  assert.deepEqual(
    [
      "claude-opus-4-8[1m]",
      "anthropic/claude-sonnet-4-5-20250929",
      "us.anthropic.claude-haiku-4-5-20251001-v1:0",
      "gpt-5.1-codex",
      "gpt-5-mini",
      "models/gemini-2.5-pro",
      "gemini-2.5-flash-lite",
      "Claude-Opus-4-1-20250805",
      "claude-opus-5-5",
      "claude-sonnet-5-5-20260928",
      "gpt-5.4",
      "gpt-6.1-sol",
      "gemini-3.8-flash",
      "$runtime|openai|gpt-5-mini(openai)",
    ].map((model) => inputOf(model)),
    [5, 3, 1, 1.25, 0.25, 1.25, 0.1, 15, 4, 2, 2.5, 2, 1.5, 0.25],
  );
});

test("G9 a model that nobody knows has no price", () => {
  assert.deepEqual(
    [inputOf("fake-model"), inputOf(""), priceOf(SHIPPED_PRICES, undefined)],
    [undefined, undefined, undefined],
  );
});

test("G9 a family newer than the table is not priced like an older one", () => {
  const newer = ["gpt-5.9", "gpt-7-sol", "claude-opus-6", "claude-haiku-6", "gemini-4-pro"];
  assert.deepEqual(
    newer.filter((model) => inputOf(model) !== undefined),
    [],
  );
});

test("G9 a long request costs what the vendor asks for long ones, all of it", () => {
  const haiku = priceOf(SHIPPED_PRICES, "claude-haiku-5-5");
  const gpt = priceOf(SHIPPED_PRICES, "gpt-6-sol");
  assert.ok(haiku !== undefined && gpt !== undefined);
  const usd = [
    usdOf(haiku, { tokensIn: 100_000, tokensOut: 10_000 }),
    usdOf(haiku, { tokensIn: 200_000, cachedIn: 100_000, tokensOut: 10_000 }),
    usdOf(gpt, { tokensIn: 300_000, tokensOut: 10_000 }),
  ];
  assert.deepEqual(
    usd.map((one) => Math.round(one * 1_000_000) / 1_000_000),
    [0.015, 0.08, 1.35],
  );
});

test("G9 a row of one's own takes the place of every shipped row that it covers, and no other", () => {
  const own = { "gpt-*": { input: 7, output: 8 } };
  assert.equal(inputOf("gpt-5-mini", own), 7);
  assert.equal(inputOf("gemini-2.5-pro", own), 1.25);
  const closer = { ...own, "gpt-5-m*": { input: 9, output: 9 } };
  assert.equal(inputOf("gpt-5-mini", closer), 9);
  const turned = Object.fromEntries(Object.entries(withShippedPrices(closer)).reverse());
  assert.equal(priceOf(turned, "gpt-5-mini")?.input, 9, "the order of the table says nothing");
});

test("G9 tokens cost what they are: read, read from a cache, written", () => {
  const price = { input: 3, output: 15, cachedInput: 0.3 };
  const used = { tokensIn: 1_000_000, cachedIn: 400_000, tokensOut: 100_000 };
  assert.ok(Math.abs(usdOf(price, used) - (1.8 + 0.12 + 1.5)) < 1e-9);
  assert.equal(usdOf({ input: 3, output: 15 }, { tokensIn: 10, cachedIn: 10 }), 0.00003);
});

test("G9 a pattern of many stars is matched in bounded time", () => {
  const pattern = `${"*a".repeat(59)}b`;
  assert.equal(priceOf({ [pattern]: { input: 1, output: 1 } }, "a".repeat(200)), undefined);
});
