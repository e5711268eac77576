import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { headlessReader } from "../../../src/agents/headless/headless-reader.ts";
import { NO_TOKENS } from "../../../src/agents/headless/headless-agent.ts";
import { signalSchema } from "../../../src/model/agent/signals.ts";
import { HEADLESS_AGENTS, STARTED_AT } from "./headless-agents.ts";

const FIXTURES = path.resolve(import.meta.dirname, "../fixtures");
const LINES_MUTATED = 10_000;
const SIGNALS_CHARS_MAX = 60_000;

function recordedLines(use: string): string[] {
  const lines = readdirSync(path.join(FIXTURES, use), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".jsonl"))
    .flatMap((file) => readFileSync(path.join(FIXTURES, use, file), "utf8").split("\n"));
  // Long lists of tools are not worth their time here.
  return [...new Set(lines.filter((line) => line !== "").map((line) => line.slice(0, 2_000)))];
}

function seeded(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const ODD: readonly unknown[] = [
  null,
  -1,
  1e308,
  "",
  "x".repeat(9_000),
  [],
  {},
  [[[]]],
  true,
  ["a", 1],
  { type: 7 },
];

/** Puts something odd in the place of one value, somewhere inside. */
function twist(value: unknown, below: (limit: number) => number): unknown {
  const entries = typeof value === "object" && value !== null ? Object.keys(value) : [];
  if (entries.length === 0 || below(5) === 0) return ODD[below(ODD.length)];
  const key = entries[below(entries.length)] ?? "";
  const copy: Record<string, unknown> = Object.assign(Array.isArray(value) ? [] : {}, value);
  copy[key] = twist(copy[key], below);
  return copy;
}

function mutate(line: string, below: (limit: number) => number): string {
  if (below(2) === 0) {
    const bytes = Buffer.from(line);
    for (let flips = below(4); flips > 0; flips -= 1) bytes[below(bytes.length)] = below(256);
    return bytes.toString("utf8");
  }
  try {
    return JSON.stringify(twist(JSON.parse(line), below)) ?? line;
  } catch {
    return line.slice(0, below(line.length));
  }
}

for (const agent of HEADLESS_AGENTS)
  test(`A7 no mutation of a line of ${agent.title} makes its reading throw, and what it gives is bounded`, () => {
    const lines = recordedLines(agent.use);
    const below = seeded(42);
    const reader = headlessReader(agent.vocabulary({ startedAt: STARTED_AT, usedBefore: NO_TOKENS }));
    for (let count = 0; count < LINES_MUTATED; count += 1) {
      const text = mutate(lines[below(lines.length)] ?? "", below);
      const from = below(10) === 0 ? "err" : "out";
      const signals = reader.read({ text, kind: below(20) === 0 ? "cut" : "whole", end: 0 }, from);
      for (const signal of signals) {
        assert.ok(signalSchema.safeParse(signal).success, text);
        assert.notEqual(signal.kind, "exit");
      }
      assert.ok(JSON.stringify(signals).length < SIGNALS_CHARS_MAX, text);
    }
  });
