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
const started = (attempt: string): RunEvent => ({
  type: "EffectSettled",
  data: { key: `${attempt}/StartAgent`, outcome: { kind: "done" } },
});
const received = (attempt: string, ...signals: unknown[]): RunEvent => ({
  type: "SignalsHeard",
  data: { attempt, cursor: "1", signals: signals.map((signal) => toSignal(signal)) },
});
const claimedAgain = (epoch: number): RunEvent => ({
  type: "RunClaimed",
  data: { ...EXAMPLES.RunClaimed, epoch, from: "gone" },
});
const foundEnded = (attempt: string): RunEvent => ({
  type: "SessionObserved",
  data: { attempt, finding: "ended", detail: "no process of the session is left" },
});
const CONVERSATION = { kind: "conversation", id: "c-1" };
const VANISHED = { kind: "exit", how: "vanished" };
const DONE = { kind: "result", ok: true, text: "all done" };

/** A run whose agent was started and has named its conversation. */
function atWork(): RunState {
  const data = { ...EXAMPLES.RunCreated, agents: { dev: { use: "claude" as const } } };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1_000);
  takeTurn(state, [started("work#1")], 1_000);
  takeTurn(state, [received("work#1", { kind: "ready" }, CONVERSATION)], 2_000);
  return state;
}
const endOf = (events: readonly RunEvent[]): unknown => {
  const [ended] = only(events, "AttemptEnded");
  return ended === undefined ? null : [ended.outcome, ended.charged, ended.diedWith];
};

for (const [lost, cause] of [
  ["restart", "machine"],
  ["container", "container"],
] as const)
  for (const exit of [
    { ...VANISHED, lost },
    { kind: "exit", how: "signal", signal: "SIGTERM", lost },
  ])
    test(`J4 A4 an agent that was lost with its ${cause} (${exit.how}) costs no attempt, is no crash, and its conversation is resumed`, () => {
      const state = atWork();
      takeTurn(state, [claimedAgain(2)], 50_000);
      const events = takeTurn(state, [received("work#1", exit)], 51_000);
      assert.deepEqual(endOf(events), ["interrupted", false, cause]);
      assert.deepEqual([state.steps["work"]?.charged, state.crashes], [0, []]);
      assert.deepEqual(
        only(events, "EffectIntended").filter(({ effect }) => effect.kind === "TellGround"),
        [],
      );
      const [start] = only(events, "EffectIntended").map(({ effect }) => effect);
      assert.ok(start?.kind === "StartAgent");
      assert.equal(start.resume, "c-1");
    });

test("J4 an agent that is found dead when its run is taken over died with its supervisor, and costs no attempt", () => {
  const state = atWork();
  takeTurn(state, [claimedAgain(2), foundEnded("work#1")], 50_000);
  assert.deepEqual(endOf(takeTurn(state, [received("work#1", VANISHED)], 50_100)), [
    "interrupted",
    false,
    "supervisor",
  ]);
});

test("A4 J4 an agent that dies while its supervisor watches is a zombie, before and after a take-over", () => {
  const first = atWork();
  assert.deepEqual(endOf(takeTurn(first, [received("work#1", VANISHED)], 3_000)), [
    "zombie",
    true,
    undefined,
  ]);
  const adopted = atWork();
  takeTurn(adopted, [claimedAgain(2)], 50_000);
  assert.deepEqual(endOf(takeTurn(adopted, [received("work#1", VANISHED)], 60_000)), [
    "zombie",
    true,
    undefined,
  ]);
});

test("J4 an agent that crashed by itself before its supervisor died is charged for it", () => {
  const state = atWork();
  takeTurn(state, [claimedAgain(2), foundEnded("work#1")], 50_000);
  const events = takeTurn(state, [received("work#1", { kind: "exit", how: "code", code: 3 })], 50_100);
  assert.deepEqual(endOf(events), ["crashed", true, undefined]);
});

test("J4 A5 what an agent had finished is kept, whether its keeper, its supervisor or its machine died after it", () => {
  for (const exit of [VANISHED, { ...VANISHED, lost: "restart" }, { ...VANISHED, lost: "container" }]) {
    const state = atWork();
    takeTurn(state, [claimedAgain(2)], 50_000);
    assert.deepEqual(endOf(takeTurn(state, [received("work#1", DONE, exit)], 51_000)), [
      "succeeded",
      false,
      undefined,
    ]);
  }
  const failed = atWork();
  const claim = { kind: "result", ok: false, text: "the tests cannot be run" };
  const [ended] = only(takeTurn(failed, [received("work#1", claim, VANISHED)], 3_000), "AttemptEnded");
  assert.deepEqual([ended?.outcome, ended?.why], ["failed", "the tests cannot be run"]);
});

test("A5 a claim that was followed by more work is no last word: what vanished then is not finished", () => {
  const state = atWork();
  const more = { kind: "tool_call", name: "bash", args: "make" };
  assert.deepEqual(endOf(takeTurn(state, [received("work#1", DONE, more, VANISHED)], 3_000)), [
    "zombie",
    true,
    undefined,
  ]);
});

test("J4 a machine that dies again and again under an agent that gets nowhere is charged in the end", () => {
  const state = atWork();
  const outcomes: unknown[] = [];
  for (let nth = 1; nth <= 7; nth += 1) {
    const [attempt] = Object.keys(state.attempts);
    assert.ok(attempt !== undefined, `no attempt after ${String(nth)} deaths`);
    takeTurn(state, [started(attempt), claimedAgain(nth + 1)], nth * 1_000_000);
    const events = takeTurn(
      state,
      [received(attempt, { ...VANISHED, lost: "restart" })],
      nth * 1_000_000 + 10,
    );
    outcomes.push(only(events, "AttemptEnded")[0]?.charged);
    takeTurn(state, [], nth * 1_000_000 + 600_000);
  }
  assert.deepEqual(outcomes, [false, false, false, false, false, true, true]);
});

test("J4 deaths with progress in between are not held against the agent", () => {
  const state = atWork();
  for (let nth = 1; nth <= 12; nth += 1) {
    const [attempt] = Object.keys(state.attempts);
    assert.ok(attempt !== undefined);
    takeTurn(state, [started(attempt), claimedAgain(nth + 1)], nth * 1_000_000);
    const call = { kind: "tool_call", callId: "c", name: "bash", args: `step ${String(nth)}` };
    const result = { kind: "tool_result", callId: "c", name: "bash", ok: true, text: `news ${String(nth)}` };
    takeTurn(state, [received(attempt, call, result)], nth * 1_000_000 + 5);
    const lost = { ...VANISHED, lost: "restart" };
    assert.deepEqual(endOf(takeTurn(state, [received(attempt, lost)], nth * 1_000_000 + 10)), [
      "interrupted",
      false,
      "machine",
    ]);
  }
});
