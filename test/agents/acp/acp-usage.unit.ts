import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { AcpTalk } from "../../../src/agents/acp/acp-talk.ts";
import { addUsage, nothingUsed, usedIn } from "../../../src/model/agent/usage-count.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";

const past = { resume: undefined, startedAt: 0, replayedTo: () => undefined, wasClosed: () => false };

function received(file: string): Signal[] {
  const talk = new AcpTalk(past);
  const text = readFileSync(path.join(import.meta.dirname, "usage-fixtures", `${file}.jsonl`), "utf8");
  return text
    .split("\n")
    .filter(Boolean)
    .flatMap((line, index) => talk.read({ text: line, kind: "whole", end: index + 1 }, "out"));
}

/** Tokens after each signal that tells of some. */
function counted(signals: readonly Signal[]): { readonly all: number[]; readonly out: number } {
  const count = nothingUsed();
  const all: number[] = [];
  for (const signal of signals)
    if (signal.kind === "usage") {
      addUsage(count, signal);
      all.push(usedIn(count).tokensIn + usedIn(count).tokensOut);
    }
  return { all, out: usedIn(count).tokensOut };
}

const moneyIn = (signals: readonly Signal[]): number | undefined =>
  signals.flatMap((one) => (one.kind === "usage" && one.usdTotal !== undefined ? [one.usdTotal] : [])).at(-1);

/** What the model has sent in two turns of four requests and one, and where it was known before the first turn was over. */
const RECORDED = {
  "claude-agent-acp-0.49.0": { sent: 121_384, out: 1_016, live: [10_101, 30_303, 60_606, 101_010] },
  "codex-acp-2.6.0": { sent: 112_333, out: 1_016, live: [10_101, 30_303, 60_606, 101_010] },
  "goose-1.52.0": { sent: 75_470, out: 6, live: [10_101, 30_303, 70_707] },
  "qwen-0.15.10": { sent: 110_921, out: 915, live: [20_202, 50_505, 90_909] },
  "gemini-0.61.0": { sent: 113_479, out: 1_016, live: [] },
} as const;

for (const [file, { sent, out, live }] of Object.entries(RECORDED))
  test(`G9 what ${file} reports over the protocol is added up to what its model has sent`, () => {
    const found = counted(received(file));
    assert.equal(found.all.at(-1), sent, found.all.join(" "));
    assert.deepEqual(found.all.slice(0, live.length), live);
    // Goose tells of its last request alone what it has read and what it has written.
    assert.equal(found.out, out);
  });

test("G9 kilo and opencode report the tokens of the last request of a turn, and kilo all its money", () => {
  for (const [file, all] of [
    ["opencode-1.18.33", 48_392],
    ["kilo-7.7.7", 53_198],
  ] as const)
    assert.equal(counted(received(file)).all.at(-1), all, file);
  assert.equal(moneyIn(received("kilo-7.7.7")), 0.323604);
  assert.equal(moneyIn(received("opencode-1.18.33")), undefined, "no price is no money");
  assert.equal(moneyIn(received("claude-agent-acp-0.49.0")), 0.58224);
});

test("G9 tokens that come after their money are not priced again", () => {
  const signals = received("kilo-7.7.7").filter((one) => one.kind === "usage");
  const after = signals.slice(signals.findIndex((one) => one.usdTotal !== undefined) + 1);
  assert.equal(after.find((one) => one.tokensOut === 404)?.usd, 0);
});

test("A7 the model of a session is reported with what it uses, unless it is only called the default", () => {
  const models = (file: string) =>
    new Set(
      received(file).flatMap((one) =>
        one.kind === "usage" && one.tokensIn !== undefined ? [one.model] : [],
      ),
    );
  assert.deepEqual([...models("codex-acp-2.6.0")], ["gpt-5.5[medium]", "gpt-5.5"]);
  assert.deepEqual([...models("claude-agent-acp-0.49.0")], [undefined]);
});
