import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { HeadlessAgent } from "../../../src/agents/headless/headless-agent.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { asInstructed } from "../as-instructed.ts";
import { HEADLESS_AGENTS, signalsOf, type PrintedLine } from "./headless-agents.ts";

const FIXTURES = path.resolve(import.meta.dirname, "../fixtures");
const versionsOf = ({ use }: HeadlessAgent): string[] =>
  readdirSync(path.join(FIXTURES, use), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** The recording of a scenario: what it printed, and the beginning of what it complained. */
function recordingOf(folder: string, name: string): { lines: PrintedLine[]; exit: number } {
  const { stderr, exit } = JSON.parse(readFileSync(path.join(folder, `${name}.meta.json`), "utf8")) as {
    stderr: string[];
    exit: number;
  };
  const out = readFileSync(path.join(folder, `${name}.jsonl`), "utf8").split("\n");
  const lines = [
    ...stderr.map((text) => ({ text, from: "err" as const })),
    ...out.map((text) => ({ text, from: "out" as const })),
  ];
  return { lines, exit };
}

const scenariosIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".meta.json"))
    .map((file) => file.replace(".meta.json", ""));

/** What each scenario must come to, regardless of the words. */
const OUTCOMES: Readonly<Record<string, (signals: readonly Signal[], exit: number) => void>> = {
  edit: succeeds,
  "overloaded-twice": succeeds,
  "rate-limit-once": succeeds,
  "cut-once": (signals, exit) => (exit === 0 ? succeeds(signals) : claimsNothing(signals)),
  "usage-limit": (signals) => {
    claimsNothing(signals);
    assert.ok(signals.some(({ kind }) => kind === "rate_limit"));
  },
  "context-overflow": claimsNothing,
  unauthorized: (signals) => {
    claimsNothing(signals);
    assert.ok(signals.some((signal) => signal.kind === "error" && signal.terminal));
  },
  refusal: claimsNothing,
  empty: claimsNothing,
};

function succeeds(signals: readonly Signal[]): void {
  assert.ok(signals.some((signal) => signal.kind === "result" && signal.ok));
  const calls = signals.filter(({ kind }) => kind === "tool_call");
  const results = signals.filter(({ kind }) => kind === "tool_result");
  assert.ok(calls.length >= 2 && results.length >= 2, "it wrote and looked");
  assert.ok(signals.some(({ kind }) => kind === "conversation"));
  assert.ok(
    signals.some((signal) => signal.kind === "usage" && (signal.tokensIn ?? signal.tokensInTotal ?? 0) > 0),
  );
}

function claimsNothing(signals: readonly Signal[]): void {
  assert.ok(!signals.some((signal) => signal.kind === "result" && signal.ok));
}

for (const agent of HEADLESS_AGENTS) {
  test(`A7 the versions of ${agent.title} that are known are those that were recorded`, () => {
    assert.deepEqual([...agent.knownVersions], versionsOf(agent));
  });
  for (const version of versionsOf(agent)) {
    const folder = path.join(FIXTURES, agent.use, version);
    for (const name of scenariosIn(folder))
      test(`A7 what ${agent.title} ${version} printed is reported in signals: ${name}`, () => {
        const { lines, exit } = recordingOf(folder, name);
        const signals = signalsOf(agent, lines);
        const golden = path.join(folder, `${name}.signals.json`);
        const text = `${JSON.stringify(asInstructed(signals), null, 1)}\n`;
        if (process.env["UPDATE_SNAPSHOTS"] === "1") writeFileSync(golden, text);
        assert.ok(existsSync(golden), `${golden} is missing: UPDATE_SNAPSHOTS=1 writes it`);
        assert.deepEqual(JSON.parse(text), JSON.parse(readFileSync(golden, "utf8")));
        const check = OUTCOMES[name];
        assert.ok(check !== undefined, `what is expected of ${name} is not said here`);
        check(signals, exit);
      });
  }
}
