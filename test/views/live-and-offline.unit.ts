import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { toSignal } from "../../src/agents/to-signal.ts";
import { assess } from "../../src/decide/health/health-assess.ts";
import { observeSeen } from "../../src/fold/health/health-observe.ts";
import { HEALTH_LIMITS } from "../../src/fold/health/health-limits.ts";
import { newHealthState } from "../../src/fold/health/new-health-state.ts";
import { observeSignal } from "../../src/fold/attempt/observe-signal.ts";
import type { Signal } from "../../src/model/agent/signals.ts";
import { assessTrace } from "../../src/views/assess/assess-trace.ts";
import type { TraceEvent } from "../../src/views/assess/trace-event.ts";
import { HEALTH_ZOO, type Behaviour } from "../../sim/agents/health-zoo.ts";

/** The same observation as a line of a trace; null where the format has no word for it. */
function traceOf(signal: Signal, raw: unknown, t_ms: number): TraceEvent | null {
  const text = (raw as { text?: string }).text ?? "";
  switch (signal.kind) {
    case "tool_call":
      return {
        t_ms,
        kind: "tool_call",
        name: signal.name,
        args: (raw as { args?: string }).args ?? "",
        ...id(signal),
      };
    case "tool_result":
      return { t_ms, kind: "tool_result", name: signal.name, ok: signal.ok, result: text, ...id(signal) };
    case "message":
      if (signal.from === "system") return { t_ms, kind: "heartbeat" };
      return { t_ms, kind: signal.from === "agent" ? "assistant" : "user", text };
    case "speaking":
      return { t_ms, kind: "assistant", text: "…", partial: true };
    case "condensed":
      return { t_ms, kind: "system", name: "context_condensed" };
    case "error":
      return { t_ms, kind: "error", text };
    case "rate_limit":
      return {
        t_ms,
        kind: "rate_limit",
        text,
        ...(signal.retryAfterMs === undefined ? {} : { retry_after_s: signal.retryAfterMs / 1_000 }),
      };
    case "context":
      return { t_ms, kind: "context", used_pct: signal.usedPct };
    case "permission":
      return { t_ms, kind: "permission", call_id: signal.askId };
    case "answered":
      return { t_ms, kind: "permission", call_id: signal.askId, ok: true };
    case "usage":
      return { t_ms, kind: "usage" };
    case "result":
      return { t_ms, kind: "system", name: "turn_complete" };
    case "ready":
    case "conversation":
    case "unknown":
    case "blocked":
      return { t_ms, kind: "heartbeat" };
    case "question":
    case "progress":
    case "exit":
      return null;
  }
}
const id = ({ callId }: { callId?: string | undefined }): { call_id?: string } =>
  callId === undefined ? {} : { call_id: callId };

interface Received {
  readonly at: number;
  readonly raw: unknown;
}
interface Verdict {
  readonly health: string;
  readonly pattern: string | null;
  readonly first: number | null;
}

/** As a live supervisor hears it, with the limits that a recording on an invented clock is judged by. */
function live(received: readonly Received[]): Verdict {
  const limits = { ...HEALTH_LIMITS, timed: false, turnEnds: "spoken" } as const;
  const health = { ...newHealthState(received[0]?.at ?? 0), turnSince: null };
  let first: number | null = null;
  let lines = 0;
  for (const { at, raw } of received) {
    const signal = toSignal(raw);
    const seen = observeSignal(signal, health, at);
    if (seen !== null) observeSeen(health, seen, at, limits);
    if (traceOf(signal, raw, at) === null) continue;
    if (assess(health, at, limits).state === "stuck") first ??= lines;
    lines += 1;
  }
  const { state, pattern } = assess(health, received.at(-1)?.at ?? 0, limits);
  return { health: state, pattern, first };
}

function offline(received: readonly Received[]): Verdict {
  const events = received
    .map(({ at, raw }) => traceOf(toSignal(raw), raw, at))
    .filter((event) => event !== null);
  const verdict = assessTrace(events, { timed: false, zone: "UTC" });
  return { health: verdict.health, pattern: verdict.pattern, first: verdict.first_flagged_event };
}

const ACTS = 120;

function signalsOf({ acts }: Behaviour): Received[] | null {
  const received: Received[] = [];
  let at = 0;
  for (const { afterMs, signals = [], seen = [] } of acts()) {
    if (seen.length > 0) return null;
    at += afterMs;
    received.push(...signals.map((raw) => ({ at, raw })));
    if (received.length >= ACTS) break;
  }
  return received;
}

/** Behaviours that only a screen shows; a live terminal is read by its driver instead. */
const BY_SCREEN = ["stops-early", "hung-behind-a-spinner"];

test("L2 L10 every behaviour of the zoo has the same verdict live and in a recording, at the same event", () => {
  const unheard: string[] = [];
  for (const behaviour of HEALTH_ZOO) {
    const received = signalsOf(behaviour);
    if (received === null) unheard.push(behaviour.name);
    else assert.deepEqual(live(received), offline(received), behaviour.name);
  }
  assert.deepEqual(unheard, BY_SCREEN);
});

const FIXTURES = path.resolve(import.meta.dirname, "../agents/fixtures");

test("L2 L10 what real agents printed has the same verdict live and as a trace", () => {
  const files = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".signals.json"),
  );
  assert.ok(files.length >= 20, `${String(files.length)} recordings`);
  for (const name of files) {
    const signals = JSON.parse(readFileSync(path.join(FIXTURES, name), "utf8")) as Signal[];
    const received = signals.map((raw, nth) => ({ at: nth * 1_000, raw }));
    assert.deepEqual(live(received), offline(received), name);
  }
});

test("L2 a context that shrinks by itself was condensed, and ten times without work is exhaustion, live and offline", () => {
  const received: Received[] = [];
  for (let round = 0; round < 12; round += 1)
    for (const usedPct of [90, 20])
      received.push({ at: received.length * 1_000, raw: { kind: "context", usedPct } });
  const verdict = live(received);
  assert.deepEqual([verdict.health, verdict.pattern], ["stuck", "resource_exhaustion"]);
  assert.deepEqual(verdict, offline(received));
});

test("L2 errors that differ in a request's number are the same error, live and offline", () => {
  const received = [1, 2, 3, 4, 5, 6].map((nth) => ({
    at: nth * 1_000,
    raw: {
      kind: "error",
      text: `connection reset while reading request ${String(nth * 7_919)}`,
      terminal: false,
    },
  }));
  assert.deepEqual(live(received), { health: "stuck", pattern: "error_loop", first: 4 });
  assert.deepEqual(offline(received), live(received));
});
