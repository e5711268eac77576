import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import { AGENTS, AGENT_KINDS, type AgentKind } from "../../../src/model/agent/kinds/registry.ts";
import type { EventData, RunEvent } from "../../../src/model/events/events.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const EXIT: Signal = { kind: "exit", how: "code", code: 0 };

/** An agent of that kind says this and exits with 0; what is made of it. */
function ended(use: AgentKind, ...signals: Signal[]): { end: EventData<"AttemptEnded">; events: RunEvent[] } {
  const data = { ...EXAMPLES.RunCreated, agents: { dev: { use } } };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1_000);
  const started = { key: "work#1/StartAgent", outcome: { kind: "done" } } as const;
  takeTurn(state, [{ type: "EffectSettled", data: started }], 2_000);
  const received = { attempt: "work#1", cursor: "9", signals: [...signals, EXIT] };
  const events = takeTurn(state, [{ type: "SignalsHeard", data: received }], 3_000);
  const end = events.find(({ type }) => type === "AttemptEnded");
  assert.ok(end?.type === "AttemptEnded");
  return { end: end.data, events };
}

const claims = (text: string, value?: unknown): Signal => ({
  kind: "result",
  ok: true,
  text,
  ...(value === undefined ? {} : { value }),
});
const outcome = ({ outcome: how, charged, failure }: EventData<"AttemptEnded">) =>
  [how, charged, failure?.class ?? null] as const;

const PROSE = AGENT_KINDS.filter((use) => AGENTS[use].claim.prose);

test("B4 a claim whose words are an error, a limit or a refusal is no success, regardless of the agent", () => {
  for (const use of PROSE) {
    const of = (text: string) => outcome(ended(use, claims(text)).end);
    assert.deepEqual(of("Ran into this error: the server fell over"), ["failed", true, "agent_failed"], use);
    assert.deepEqual(of("Ran into this error: Rate limit exceeded"), ["failed", false, "rate_limited"], use);
    assert.deepEqual(of("I can't help with that."), ["failed", true, "agent_failed"], use);
    assert.deepEqual(of("Error: Invalid API key"), ["failed", true, "terminal"], use);
    assert.deepEqual(of("fixed the Error: … thrown by parse()"), ["succeeded", false, null], use);
  }
});

test("B4 what an agent said last is read where it claims nothing", () => {
  const said: Signal = { kind: "message", from: "agent", text: "Error: Too many requests, please wait." };
  assert.deepEqual(outcome(ended("claude", said).end), ["failed", false, "rate_limited"]);
  const printed: Signal = { kind: "unknown", text: "Error: no model" };
  assert.deepEqual(outcome(ended("codex", printed).end), ["failed", true, "agent_failed"]);
  const line: Signal = { kind: "progress", text: "bash: fix: command not found" };
  assert.match(ended("tmux", line).end.why, /last word is an error: bash: fix: command not found/);
});

test("B4 a person's note and a value that is no text are not read for errors", () => {
  assert.equal(ended("manual", claims("Error: the cable was loose")).end.outcome, "succeeded");
  assert.equal(ended("function", claims('{"error":{}}', { error: {} })).end.outcome, "succeeded");
  assert.equal(ended("function", claims("Error: no model", "Error: no model")).end.outcome, "failed");
});

test("L5 a limit reported in prose is reported to the account, and waited for as long as it says", () => {
  const { events } = ended("acp", claims("Rate limit exceeded. Please retry after 90 seconds."));
  const reported = events.flatMap((event) =>
    event.type === "EffectIntended" && event.data.effect.kind === "TellGround"
      ? [event.data.effect.fact]
      : [],
  );
  assert.deepEqual(
    reported.map(({ kind, until }) => [kind, until]),
    [["limited", 93_000]],
  );
  const retry = events.find(({ type }) => type === "StepRetryScheduled");
  assert.ok(retry?.type === "StepRetryScheduled" && retry.data.notBefore === 93_000);
});

test("B4 a failure reported as one without a kind has the kind that its words show", () => {
  const limit: Signal = { kind: "result", ok: false, text: "You've hit your usage limit." };
  assert.deepEqual(outcome(ended("acp", limit).end), ["failed", false, "rate_limited"]);
  const other: Signal = { kind: "result", ok: false, text: "it did not work" };
  assert.deepEqual(outcome(ended("acp", other).end), ["failed", true, "agent_failed"]);
});

test("B3 B4 a failure after a limit with no work since is that limit, no matter what words it is reported in", () => {
  const failed: Signal = { kind: "result", ok: false, text: "Took 0.3s\nsee https://example.org/errors" };
  const limit: Signal = { kind: "rate_limit", text: "Error: 429 You exceeded your current quota" };
  const error: Signal = { kind: "error", text: "Error: 429 You exceeded it", terminal: false };
  const call: Signal = { kind: "tool_call", callId: "a", name: "bash", args: "ls" };
  const result: Signal = { kind: "tool_result", callId: "a", name: "bash", ok: true, text: "one" };
  const key: Signal = { kind: "error", text: "Invalid API key", terminal: false };
  const of = (...signals: Signal[]) => outcome(ended("tmux", ...signals).end);
  assert.deepEqual(of(limit, error, failed), ["failed", false, "rate_limited"]);
  assert.deepEqual(of(error, failed), ["failed", true, "agent_failed"]);
  assert.deepEqual(of(limit, call, result, failed), ["failed", true, "agent_failed"]);
  assert.deepEqual(of(limit, key, failed), ["failed", true, "terminal"]);
});
