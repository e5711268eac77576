import assert from "node:assert/strict";
import { test } from "node:test";
import { AGENTS, AGENT_KINDS } from "../../../src/model/agent/kinds/registry.ts";
import { SHIPPED_PRICES } from "../../../src/model/settings/shipped-prices.ts";
import { countsOf, hasNoPrice } from "../../../src/model/agent/what-counts.ts";

const acp = (...command: string[]): string => {
  const { tokens, usd } = countsOf({ use: "acp", command });
  return `${tokens} ${usd}`;
};

test("G9 an agent of the protocol is known by its program, however it is started", () => {
  for (const command of [
    ["opencode", "acp"],
    ["/opt/bin/opencode", "acp"],
    ["kilo", "acp"],
    ["qwen", "--acp"],
    ["npx", "-y", "@google/gemini-cli@0.61.0", "--acp"],
    ["/usr/bin/node", "/srv/node_modules/@agentclientprotocol/codex-acp/dist/index.js"],
    ["node", "/srv/node_modules/@qwen-code/qwen-code/cli.js", "--acp"],
    ["node", "/srv/gemini.js"],
  ])
    assert.equal(acp(...command), "live live", command.join(" "));
});

test("G9 of a program that nobody knows, no more is expected than the protocol demands", () => {
  for (const command of [
    ["agent"],
    [],
    ["constructor"],
    ["node"],
    ["node", "/home/ada/opencode/mine.js"],
    ["mine", "opencode", "acp"],
  ])
    assert.equal(acp(...command), "end end", command.join(" "));
});

test("G9 goose reports tokens and no money: what it reads and writes is one number", () => {
  assert.equal(acp("goose", "acp"), "live none");
});

test("G9 drivers other than the protocol's count as they say, no matter what program they start", () => {
  for (const use of AGENT_KINDS.filter((kind) => kind !== "acp"))
    assert.deepEqual(countsOf({ use, command: ["opencode"] }), AGENTS[use].capabilities.counts, use);
});

test("G9 money of a model without a price cannot be counted, unless the agent may know one itself", () => {
  assert.equal(hasNoPrice({ use: "claude" }, SHIPPED_PRICES), false);
  assert.equal(hasNoPrice({ use: "claude", model: "fake-model" }, SHIPPED_PRICES), true);
  assert.equal(hasNoPrice({ use: "codex", model: "gpt-5.5" }, SHIPPED_PRICES), false);
  assert.equal(hasNoPrice({ use: "opencode", model: "house/fake-model" }, SHIPPED_PRICES), false);
});
