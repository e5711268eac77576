import assert from "node:assert/strict";
import { test } from "node:test";
import { toSignal } from "../../../src/agents/to-signal.ts";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import type { EventData, EventType, RunEvent } from "../../../src/model/events/events.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { takeTurn, turnAppend } from "../../../src/runtime/take-turn.ts";
import { inboxEntries } from "../../../src/views/runs/inbox.ts";
import { nowOf } from "../../../src/views/why/why-now.ts";
import { watchEntry } from "../../../src/views/runs/watch-entry.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { EXAMPLES } from "../../model/example-events.ts";
import { SharedResourceFacts } from "../shared-resource-facts.ts";

const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

function atWork(dev: AgentSpec): RunState {
  const data = { ...EXAMPLES.RunCreated, agents: { dev } };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1_000);
  takeTurn(
    state,
    [{ type: "EffectSettled", data: { key: "work#1/StartAgent", outcome: { kind: "done" } } }],
    1_000,
  );
  return state;
}
const received = (...signals: unknown[]): RunEvent => ({
  type: "SignalsHeard",
  data: { attempt: "work#1", cursor: "1", signals: signals.map((signal) => toSignal(signal)) },
});
const step = (args: string, text: string, ok = true): Signal[] =>
  [
    { kind: "tool_call", name: "bash", args },
    { kind: "tool_result", name: "bash", ok, text },
  ] as Signal[];

/** Lets time alone pass, from one deadline of the state to the next. */
function pass(state: RunState, until: number): RunEvent[] {
  const events: RunEvent[] = [];
  for (let now = nextDeadline(state, state.at); now !== null && now <= until; now = nextDeadline(state, now))
    events.push(...takeTurn(state, [], now));
  return events;
}

test("L1 a loop of a live agent is said with its evidence when the step that completes it is received, once", () => {
  const state = atWork({ use: "claude" });
  const events = [1, 2, 3, 4, 5, 6].flatMap((second) =>
    takeTurn(state, [received(...step("ls", "a b"))], 2_000 + second),
  );
  const [change, ...more] = only(events, "HealthChanged");
  assert.deepEqual([change?.state, change?.pattern, more.length], ["stuck", "tool_loop", 0]);
  assert.match(change?.evidence[0] ?? "", /4 times in a row/);
  const { health } = statusView(state, null);
  assert.deepEqual([health.state, health.pattern], ["stuck", "tool_loop"]);
  assert.ok(health.evidence.some((line) => line.includes("4 times in a row")));
});

test("L1 something new ends the verdict, and that is said too", () => {
  const state = atWork({ use: "claude" });
  takeTurn(state, [received(...[1, 2, 3, 4].flatMap(() => step("ls", "a b")))], 2_000);
  const events = takeTurn(state, [received(...step("cat a", "text"))], 3_000);
  assert.deepEqual(
    only(events, "HealthChanged").map((change) => change.state),
    ["healthy"],
  );
  assert.equal(statusView(state, null).health.state, "healthy");
});

test("L2 an agent that ends turn after turn with the same error, and begins the next by itself, is in an error loop", () => {
  const state = atWork({ use: "opencode" });
  const text = "the messages are longer than the context of 128000 tokens";
  const round = [
    { kind: "result", ok: false, text },
    { kind: "error", text, terminal: false, code: "context_length_exceeded" },
    { kind: "message", from: "agent", text: "A summary." },
    { kind: "result", ok: true, text: "A summary." },
    { kind: "message", from: "agent", text: "The conversation was made shorter. Go on." },
  ];
  const events = [1, 2, 3, 4, 5, 6].flatMap((second) =>
    round.flatMap((signal, n) => takeTurn(state, [received(signal)], 2_000 + second * 1_000 + n * 100)),
  );
  const stuck = only(events, "HealthChanged").filter((change) => change.state === "stuck");
  assert.deepEqual(
    stuck.map((change) => change.pattern),
    ["error_loop"],
  );
});

test("L1 silence is noticed by deadlines that follow from the state: degraded, then stuck", () => {
  const state = atWork({ use: "claude" });
  takeTurn(state, [received(...step("ls", "a b"))], 2_000);
  const changes = only(pass(state, 1_100_000), "HealthChanged");
  assert.deepEqual(
    changes.map((change) => [change.state, change.pattern]),
    [
      ["degraded", "no_progress"],
      ["stuck", "no_progress"],
    ],
  );
});

test("L3 an open tool call, a function and a person are not hurried", () => {
  for (const [use, ...signals] of [
    ["claude", { kind: "tool_call", name: "bash", args: "cargo build" }] as const,
    ["function", { kind: "message", from: "agent", text: "at it" }] as const,
    ["manual", { kind: "ready" }] as const,
  ]) {
    const state = atWork({ use });
    takeTurn(state, [received({ kind: "tool_result", ok: true, name: "x", text: "y" }, ...signals)], 2_000);
    assert.deepEqual(only(pass(state, 1_800_000), "HealthChanged"), [], use);
  }
});

test("L1 silence counts from when somebody listens again", () => {
  const state = atWork({ use: "claude" });
  takeTurn(state, [received(...step("ls", "a b"))], 2_000);
  takeTurn(state, [{ type: "RunClaimed", data: { owner: "own_2", epoch: 2, from: "gone" } }], 3_600_000);
  assert.deepEqual(only(takeTurn(state, [], 3_601_000), "HealthChanged"), []);
  assert.equal(only(pass(state, 4_800_000), "HealthChanged")[0]?.state, "degraded");
});

const limited: Signal[] = [
  { kind: "rate_limit", text: "You've hit your limit · resets 3pm", resetsAt: 7_200_000 },
  { kind: "error", text: "You've hit your limit · resets 3pm", terminal: false, status: 429 },
];

test("L4 a live agent that meets a limit is waiting until its reset, with a word when it is over", () => {
  const state = atWork({ use: "opencode" });
  const [change] = only(takeTurn(state, [received(...limited)], 2_000), "HealthChanged");
  assert.deepEqual([change?.state, change?.waitsFor, change?.until], ["waiting", "limit", 7_200_000]);
  const { health } = statusView(state, null);
  assert.deepEqual(
    [health.state, health.waitsFor, health.until],
    ["waiting", "limit", "1970-01-01T02:00:00.000Z"],
  );
  assert.deepEqual(
    only(pass(state, 7_300_000), "HealthChanged").map((next) => next.state),
    ["healthy"],
  );
});

test("L4 a wait of a part of a millisecond, or until no date that there is, leaves whole times for the store", () => {
  for (const named of [{ retryAfterMs: 591.247 }, { resetsAt: 7_200_000.5 }, { resetsAt: 1e300 }]) {
    const state = atWork({ use: "claude" });
    const events = takeTurn(state, [received({ kind: "rate_limit", text: "slow down", ...named })], 2_000);
    assert.equal(only(events, "HealthChanged")[0]?.waitsFor, "limit");
    const { listing } = turnAppend(state, events, { epoch: 1, now: 2_000, consumed: [] });
    assert.ok(Number.isSafeInteger(listing.wakeAt), `${JSON.stringify(named)}: ${String(listing.wakeAt)}`);
    for (const { until } of only(events, "HealthChanged"))
      assert.ok(until === undefined || until === null || Number.isSafeInteger(until), String(until));
  }
});

test("L5 an attempt that ended of a limit is tried again when the limit resets, and status counts down to it", () => {
  const state = atWork({ use: "claude" });
  const exit: Signal = { kind: "exit", how: "code", code: 1 };
  const [retry] = only(takeTurn(state, [received(...limited, exit)], 3_600_000), "StepRetryScheduled");
  assert.deepEqual([retry?.notBefore, retry?.limit], [7_200_000, "You've hit your limit · resets 3pm"]);
  new SharedResourceFacts().spread([state], 3_600_000);
  const { health } = statusView(state, null, 3_600_000);
  assert.deepEqual([health.state, health.waitsFor], ["waiting", "limit"]);
  assert.match(health.evidence.join("\n"), /for 1 h 0 min more: You've hit your limit/);
  assert.equal(nextDeadline(state, 3_700_000), 7_200_000);
  assert.equal(only(takeTurn(state, [], 7_199_999), "AttemptStarted").length, 0);
  assert.equal(only(takeTurn(state, [], 7_200_000), "AttemptStarted").length, 1);
});

test("L5 a wait counts as named by the provider only where the provider's time, and not our backoff, ends it", () => {
  const exit: Signal = { kind: "exit", how: "code", code: 1 };
  const cases: readonly (readonly [now: number, named: boolean])[] = [
    [3_600_000, true],
    [7_199_999, false],
  ];
  for (const [now, named] of cases) {
    const state = atWork({ use: "claude" });
    state.settings = { ...state.settings, backoff: { ...state.settings.backoff, baseMs: 60_000 } };
    const events: RunEvent[] = takeTurn(state, [received(...limited, exit)], now);
    const retry: EventData<"StepRetryScheduled"> | undefined = only(events, "StepRetryScheduled")[0];
    assert.equal(retry?.named ?? false, named, `at ${String(now)}: ${String(retry?.notBefore)}`);
  }
});

test("L5 a limit that names no end is waited for, a shorter time each time it is met again", () => {
  const state = atWork({ use: "claude" });
  const unnamed = [
    { kind: "rate_limit", text: "Rate limit exceeded" },
    { kind: "error", text: "Rate limit exceeded", terminal: false, status: 429 },
    { kind: "exit", how: "code", code: 1 },
  ] as const;
  const [first] = only(takeTurn(state, [received(...unnamed)], 10_000), "StepRetryScheduled");
  assert.equal(first?.notBefore, 310_000);
  new SharedResourceFacts().spread([state], 10_000);
  takeTurn(state, [], 310_000);
  const again: RunEvent = {
    type: "SignalsHeard",
    data: { attempt: "work#2", cursor: "1", signals: [...unnamed] },
  };
  const [second] = only(takeTurn(state, [again], 320_000), "StepRetryScheduled");
  assert.equal(second?.notBefore, 470_000);
});

test("L1 what is remembered of a session is bounded, however long it works", () => {
  const state = atWork({ use: "claude" });
  const sizes: number[] = [];
  for (let index = 0; index < 1_200; index += 1) {
    takeTurn(
      state,
      [
        received(
          ...step(`run ${"x".repeat(index % 97)}${String(index)}`, `out ${String(index * 7)}`, index % 5 > 0),
        ),
      ],
      2_000 + index,
    );
    if (index === 400 || index === 1_199) sizes.push(JSON.stringify(state.attempts["work#1"]?.health).length);
  }
  const [early = 0, late = 0] = sizes;
  assert.ok(late < early * 1.2 && late < 24_000, `${String(early)} then ${String(late)} characters`);
});

test("L1 O2 a question in a dialog is shown with its words in status, why, watch and inbox until it is answered", () => {
  const state = atWork({ use: "tmux", command: ["x"] });
  takeTurn(state, [received({ kind: "ready" })], 2_000);
  const dialog =
    "╭──────────╮\n│ Delete \u001b[31mall\u202e of it? │\n│ ❯ 1. Yes │\n│   2. No  │\n╰──────────╯";
  const events = takeTurn(state, [received({ kind: "question", askId: "q1", text: dialog })], 3_000);
  const words = "Delete ␛[31mall\\u{202e} of it? 1. Yes 2. No";
  const [change] = only(events, "HealthChanged");
  assert.deepEqual([change?.state, change?.waitsFor], ["waiting", "person"]);
  assert.deepEqual(change?.evidence, [`waits for a person: ${words}`]);
  assert.ok(statusView(state, null).health.evidence.includes(`waits for a person: ${words}`));
  assert.ok(nowOf(state).some((line) => line.includes(words)));
  const [entry] = inboxEntries(state, null);
  assert.deepEqual([entry?.reason, entry?.detail], ["question", `work#1 asks: ${words}`]);
  assert.equal(entry?.command, "holdfast attach run_1");
  const watched = watchEntry(state, null, 3_000);
  assert.deepEqual([watched.group, watched.command], ["needs_you", "holdfast attach run_1"]);
  const next = takeTurn(state, [received({ kind: "question", askId: "q2", text: "Really?" })], 4_000);
  assert.deepEqual(only(next, "HealthChanged")[0]?.evidence, ["waits for a person: Really?"]);
  takeTurn(state, [received({ kind: "progress", text: "deleted" })], 5_000);
  assert.deepEqual(inboxEntries(state, null), []);
  const long = takeTurn(
    state,
    [received({ kind: "question", askId: "q3", text: "very ".repeat(500) })],
    6_000,
  );
  assert.ok((only(long, "HealthChanged")[0]?.evidence[0] ?? "").length < 400);
});

test("L1 a model that answers for half an hour in pieces is not silent; when the pieces stop, it is", () => {
  const state = atWork({ use: "acp" });
  takeTurn(state, [received(...step("ls", "a b"))], 2_000);
  const events: RunEvent[] = [];
  for (let at = 7_000; at < 1_800_000; at += 5_000) {
    events.push(...pass(state, at), ...takeTurn(state, [received({ kind: "speaking" })], at));
  }
  assert.deepEqual(only(events, "HealthChanged"), []);
  const silent = only(pass(state, 4_000_000), "HealthChanged").map((change) => change.state);
  assert.deepEqual(silent, ["degraded", "stuck"]);
});
