import assert from "node:assert/strict";
import { test } from "node:test";
import { toSignal } from "../../../src/agents/to-signal.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import type { EventData, EventType, RunEvent } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

function atWork(): RunState {
  const data = { ...EXAMPLES.RunCreated, agents: { dev: { use: "claude" as const } } };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1_000);
  const started = { key: "work#1/StartAgent", outcome: { kind: "done" as const } };
  takeTurn(state, [{ type: "EffectSettled", data: started }], 1_000);
  return state;
}

/** How an attempt ends that gave these signals and then exits with 1, and when its step is tried again. */
function endOf(...signals: readonly unknown[]): { class: unknown; charged: unknown; afterMs: number | null } {
  const state = atWork();
  const exit = { kind: "exit", how: "code", code: 1 };
  const received = [...signals, exit].map((signal) => toSignal(signal));
  const turn = takeTurn(
    state,
    [{ type: "SignalsHeard", data: { attempt: "work#1", cursor: "1", signals: received } }],
    10_000,
  );
  const events = [...turn, ...takeTurn(state, [], 10_001)];
  const [ended] = only(events, "AttemptEnded");
  const [again] = only(events, "StepRetryScheduled");
  return {
    class: ended?.failure?.class,
    charged: ended?.charged,
    afterMs: again === undefined ? null : again.notBefore - 10_000,
  };
}
const says = (text: string): object => ({ kind: "message", from: "agent", text });
const call = { kind: "tool_call", name: "bash", args: "ls" };
const result = { kind: "tool_result", name: "bash", ok: true, text: "a" };

test("L4 L5 a limit that an agent names before it exits with an error is waited for, and costs no attempt", () => {
  assert.deepEqual(endOf(says("You've hit your usage limit. Try again in 20 minutes."), says("Goodbye.")), {
    class: "rate_limited",
    charged: false,
    afterMs: 20 * 60_000,
  });
});

test("L5 a limit that was reported as such is not forgotten because something was said after it", () => {
  const reported = { kind: "rate_limit", text: "limit reached", retryAfterMs: 600_000 };
  assert.deepEqual(endOf(reported, says("I could not finish."), says("Goodbye.")), {
    class: "rate_limited",
    charged: false,
    afterMs: 600_000,
  });
});

test("L4 an agent that worked on after a limit, and then fails, has failed of something else", () => {
  const limit = says("You've hit your usage limit. Try again in 20 minutes.");
  for (const ended of [
    endOf(limit, call, result, says("It does not compile.")),
    endOf(says("I added a test for the case that the rate limit is exceeded."), says("It fails.")),
    endOf(
      says("Error: 429 Too Many Requests - GET https://packages.example.org/x"),
      says("The install failed."),
    ),
  ])
    assert.deepEqual([ended.class, ended.charged], ["agent_failed", true]);
});
