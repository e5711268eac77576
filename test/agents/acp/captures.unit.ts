import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { AcpTalk } from "../../../src/agents/acp/acp-talk.ts";
import { classOfError } from "../../../src/fold/attempt/class-of-error.ts";
import { signalSchema, type Signal } from "../../../src/model/agent/signals.ts";

const FIXTURES = path.join(import.meta.dirname, "fixtures");
const past = { resume: undefined, startedAt: 0, replayedTo: () => undefined, wasClosed: () => false };

function received(file: string): Signal[] {
  const talk = new AcpTalk(past);
  const lines = readFileSync(path.join(FIXTURES, file), "utf8").split("\n").slice(0, -1);
  return lines.flatMap((text, index) => talk.read({ text, kind: "whole", end: index + 1 }, "out"));
}

/** What came of a turn: whether success is claimed, and what class its error is of. */
function outcome(signals: readonly Signal[]): string {
  const claim = signals.findLast((signal) => signal.kind === "result");
  const error = signals.findLast((signal) => signal.kind === "error");
  const said = claim === undefined ? "no claim" : claim.ok ? "ok" : "not ok";
  return error === undefined ? said : `${said}, ${classOfError(error) ?? "unclassed"}`;
}

/** As recorded: some were cancelled after 90 seconds without a word, which is no claim of anything. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "claude-agent-acp/0.49.0": {
    edit: "ok",
    cut: "ok",
    limit: "not ok, rate_limited",
    "401": "no claim",
    cancel: "no claim",
    "500-forever": "no claim",
    ctx: "not ok, unclassed",
  },
  "codex-acp/2.6.0": {
    edit: "ok",
    cut: "not ok, transient",
    limit: "not ok, rate_limited",
    "401": "not ok, terminal",
    cancel: "no claim",
    "500-forever": "not ok, unclassed",
    ctx: "not ok, unclassed",
  },
  "gemini/0.61.0": {
    edit: "ok",
    cut: "not ok, transient",
    limit: "no claim",
    "401": "not ok, terminal",
    cancel: "no claim",
    "500-forever": "no claim",
    ctx: "not ok, terminal",
  },
  "opencode/1.18.33": {
    edit: "ok",
    cut: "not ok, transient",
    limit: "not ok",
    "401": "not ok, terminal",
    cancel: "no claim",
    "500-forever": "not ok, transient",
    ctx: "not ok, unclassed",
  },
};

for (const [agent, scenarios] of Object.entries(EXPECTED))
  test(`A7 what ${agent} said in ${String(Object.keys(scenarios).length)} recordings is taken for what it was`, () => {
    const files = readdirSync(path.join(FIXTURES, agent)).map((file) => path.basename(file, ".jsonl"));
    const reported = Object.fromEntries(
      files.map((file) => [file, received(path.join(agent, `${file}.jsonl`))]),
    );
    for (const signals of Object.values(reported)) for (const signal of signals) signalSchema.parse(signal);
    assert.deepEqual(
      Object.fromEntries(Object.entries(reported).map(([name, signals]) => [name, outcome(signals)])),
      scenarios,
    );
  });

test("A7 every recorded edit reports its tool calls with their results, words, and what it used", () => {
  for (const agent of Object.keys(EXPECTED)) {
    const signals = received(path.join(agent, "edit.jsonl"));
    const count = (kind: Signal["kind"]): number => signals.filter((signal) => signal.kind === kind).length;
    assert.equal(count("tool_call"), 2, agent);
    assert.equal(count("tool_result"), 2, agent);
    assert.ok(
      count("message") >= 2 && count("message") <= 4,
      `${agent}: ${String(count("message"))} messages`,
    );
    assert.ok(
      signals.some((signal) => signal.kind === "usage" && (signal.tokensIn ?? 0) > 0),
      agent,
    );
    assert.equal(count("unknown"), 0, agent);
  }
});
