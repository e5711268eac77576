import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { classOfError } from "../../../src/fold/attempt/class-of-error.ts";
import { signalSchema, type ErrorSignal, type Signal } from "../../../src/model/agent/signals.ts";
import { HEADLESS_AGENTS, signalsOf, type PrintedLine } from "./headless-agents.ts";

/** A larger collection of recordings, which may lie beside the repository. */
const PLACES = ["../../../../shared/facts/captures", "../../../../../shared/facts/captures"];
const folder = PLACES.map((place) => path.resolve(import.meta.dirname, place)).find((place) =>
  existsSync(place),
);
const skip =
  folder === undefined && "no collection lies beside the repository; its own recordings are tested";

function linesOf(use: string, name: string): PrintedLine[] {
  const file = path.join(folder ?? "", use, `${name}.timeline.jsonl`);
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { fd, line: text } = JSON.parse(line) as { fd: number; line: string };
      return { text, from: fd === 1 ? "out" : "err" };
    });
}

const claims = (signals: readonly Signal[]): boolean =>
  signals.some((signal) => signal.kind === "result" && signal.ok);
const has = (signals: readonly Signal[], kind: Signal["kind"]): boolean =>
  signals.some((signal) => signal.kind === kind);
const lastError = (signals: readonly Signal[]): ErrorSignal =>
  signals.findLast((signal) => signal.kind === "error") ?? assert.fail("no error was told");

type Check = (signals: readonly Signal[], agent: string) => void;

const fails: Check = (signals) => assert.equal(claims(signals), false);
const succeeds: Check = (signals) => assert.equal(claims(signals), true);
const failsAs =
  (kind: string): Check =>
  (signals) => {
    assert.equal(claims(signals), false);
    assert.equal(classOfError(lastError(signals)), kind);
  };
const limited: Check = (signals, agent) => {
  assert.equal(claims(signals), false);
  // It waits without a word.
  if (agent !== "opencode") assert.ok(has(signals, "rate_limit"));
};

const CHECKS: Readonly<Record<string, Check>> = {
  edit: succeeds,
  "429-once": succeeds,
  "500-once": succeeds,
  "529-once": succeeds,
  "401": (signals) => {
    failsAs("terminal")(signals, "");
    assert.equal(lastError(signals).terminal, true);
  },
  "429-forever": (signals) => {
    failsAs("rate_limited")(signals, "");
    assert.ok(has(signals, "rate_limit"));
  },
  limit: limited,
  "500-forever": failsAs("transient"),
  "529-forever": failsAs("transient"),
  "404": failsAs("terminal"),
  credit: failsAs("terminal"),
  refusal: fails,
  empty: fails,
  garbage: fails,
  hang: fails,
  ctx: fails,
  loop: (signals) => {
    assert.equal(claims(signals), false);
    const calls = signals.flatMap((signal) => (signal.kind === "tool_call" ? [signal.argsDigest] : []));
    const same = Math.max(
      ...Array.from(Map.groupBy(calls, (digest) => digest).values(), ({ length }) => length),
    );
    assert.ok(same >= 4, `${String(same)} identical calls`);
  },
};

for (const agent of HEADLESS_AGENTS)
  test(
    `A7 G8 every recording of ${agent.title} is read without a throw, and comes to what it was`,
    { skip },
    () => {
      const names = readdirSync(path.join(folder ?? "", agent.use))
        .filter((file) => file.endsWith(".timeline.jsonl"))
        .map((file) => file.replace(".timeline.jsonl", ""));
      assert.ok(names.length > 20);
      for (const name of names) {
        const signals = signalsOf(agent, linesOf(agent.use, name));
        for (const signal of signals) signalSchema.parse(signal);
        try {
          CHECKS[name]?.(signals, agent.use);
        } catch (error) {
          throw new Error(`${agent.use} ${name}: ${JSON.stringify(signals.slice(-5))}`, { cause: error });
        }
      }
    },
  );
