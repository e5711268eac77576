import assert from "node:assert/strict";
import { test } from "node:test";
import { toSignal } from "../../../src/agents/to-signal.ts";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import { AGENTS, AGENT_KINDS } from "../../../src/model/agent/kinds/registry.ts";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import type { EventData, EventType, RunEvent } from "../../../src/model/events/events.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);
const settled = (key: string, outcome: EffectOutcome = { kind: "done" }): RunEvent => ({
  type: "EffectSettled",
  data: { key, outcome },
});
const received = (...signals: unknown[]): RunEvent => ({
  type: "SignalsHeard",
  data: { attempt: "work#1", cursor: "1", signals: signals.map((signal) => toSignal(signal)) },
});
const PERMISSION = { kind: "permission", askId: "a-1", what: "Bash: rm -r build" };

/** A run whose agent was started, worked a little and has just asked for a permission. */
function asking(dev: AgentSpec): RunState {
  const data = { ...EXAMPLES.RunCreated, agents: { dev } };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1_000);
  takeTurn(state, [settled("work#1/StartAgent")], 1_000);
  const call = { kind: "tool_call", callId: "c-1", name: "bash", args: "ls" };
  const result = { kind: "tool_result", callId: "c-1", name: "bash", ok: true, text: "a" };
  takeTurn(state, [received(call, result, PERMISSION)], 2_000);
  return state;
}

/** Lets time alone pass, from one deadline of the state to the next. */
function pass(state: RunState, until: number): RunEvent[] {
  const events: RunEvent[] = [];
  for (let now = nextDeadline(state, state.at); now !== null && now <= until; now = nextDeadline(state, now))
    events.push(...takeTurn(state, [], now));
  return events;
}

/** Drivers whose agents ask; whether a person has done something no policy answers, so `manual` is not among them. */
const ASKING = AGENT_KINDS.filter((use) => AGENTS[use].capabilities.permissions && use !== "manual");
const changes = (events: readonly RunEvent[]): unknown[] =>
  only(events, "HealthChanged").map(({ state, waitsFor }) => (waitsFor === null ? state : waitsFor));

for (const use of ASKING)
  for (const permissions of ["allow", "deny"] as const)
    test(`A9 L1 after a policy's "${permissions}" an agent of ${use} waits for nobody, and its silence counts from the answer`, () => {
      const state = asking({ use, permissions });
      assert.deepEqual(Object.keys(state.effects), ["work#1/AnswerPermission"]);
      const at = 400_000;
      const answered = takeTurn(state, [settled("work#1/AnswerPermission")], at);
      assert.equal(state.attempts["work#1"]?.assessed.waitsFor, null, JSON.stringify(answered));
      assert.deepEqual(state.attempts["work#1"]?.health.asks, []);
      const { turnDegradedMs, turnStuckMs } = state.settings.health;
      assert.deepEqual(
        changes(pass(state, at + turnDegradedMs - 1)),
        [],
        "it is not called silent before its time",
      );
      assert.deepEqual(changes(pass(state, at + turnStuckMs + 200_000)), ["degraded", "stuck"]);
    });

for (const use of ASKING)
  test(`A9 L1 an agent of ${use} that a person answered waits for nobody either`, () => {
    const state = asking({ use });
    assert.equal(state.status, "awaiting_approval");
    const request = { kind: "approve" } as const;
    takeTurn(state, [{ type: "RequestHeard", data: { requestId: "r-1", request, by: "ann" } }], 600_000);
    takeTurn(state, [settled("work#1/AnswerPermission")], 601_000);
    assert.deepEqual([state.status, state.attempts["work#1"]?.assessed.waitsFor], ["running", null]);
    const { turnStuckMs } = state.settings.health;
    assert.ok(changes(pass(state, 601_000 + turnStuckMs + 200_000)).includes("stuck"));
  });

test("A9 L1 an answer that can never be given leaves the agent to its silence, one that may still arrive does not", () => {
  const hopeless = asking({ use: "acp", permissions: "allow" });
  const terminal = { kind: "failed", text: "no option allows it", terminal: true } as const;
  takeTurn(hopeless, [settled("work#1/AnswerPermission", terminal)], 3_000);
  assert.deepEqual(hopeless.attempts["work#1"]?.health.asks, []);
  assert.ok(changes(pass(hopeless, 1_400_000)).includes("stuck"));

  const owed = asking({ use: "acp", permissions: "allow" });
  const failed = { kind: "failed", text: "the courier was busy", terminal: false } as const;
  takeTurn(owed, [settled("work#1/AnswerPermission", failed)], 3_000);
  assert.deepEqual(Object.keys(owed.effects), ["work#1/AnswerPermission.2"]);
  assert.equal(owed.attempts["work#1"]?.health.asks.length, 1);
});

test("A9 a dialog that somebody answered in its terminal asks nobody any more, and what was under way to it is dropped", () => {
  const answered = { kind: "answered", askId: "a-1" };
  const asked = asking({ use: "tmux" });
  const events = takeTurn(asked, [received(answered)], 9_000);
  assert.equal(only(events, "RunUnblocked").length, 1);
  assert.deepEqual([asked.status, asked.attempts["work#1"]?.permissions], ["running", {}]);

  const policy = asking({ use: "tmux", permissions: "allow" });
  takeTurn(policy, [received(answered)], 9_000);
  const late = {
    kind: "failed",
    text: "the dialog that asked is not open any more",
    terminal: false,
  } as const;
  takeTurn(policy, [settled("work#1/AnswerPermission", late)], 9_500);
  assert.deepEqual([policy.effects, policy.attempts["work#1"]?.permissions], [{}, {}]);
});

test("A9 L1 a call that waited for its permission has its whole time from the answer on", () => {
  const state = asking({ use: "acp", permissions: "allow" });
  takeTurn(state, [settled("work#1/AnswerPermission")], 3_000);
  takeTurn(state, [received({ kind: "tool_call", callId: "c-2", name: "bash", args: "make" })], 4_000);
  takeTurn(state, [received({ ...PERMISSION, askId: "a-2" })], 5_000);
  takeTurn(state, [settled("work#1/AnswerPermission.2")], 3_000_000);
  const { toolMs } = state.settings.health;
  assert.deepEqual(changes(pass(state, 3_000_000 + toolMs - 1)), []);
  assert.ok(changes(pass(state, 3_000_000 + toolMs + 300_000)).includes("stuck"));
});

test("A9 L2 a call that is denied is over, and one that is asked for and denied again and again is a loop", () => {
  const state = asking({ use: "acp", permissions: "deny" });
  takeTurn(state, [settled("work#1/AnswerPermission")], 3_000);
  for (let nth = 2; nth <= 5; nth += 1) {
    const callId = `d-${String(nth)}`;
    const call = { kind: "tool_call", callId, name: "bash", args: "rm -r build" };
    takeTurn(state, [received(call, { ...PERMISSION, askId: `a-${String(nth)}`, callId })], nth * 10_000);
    takeTurn(state, [settled(`work#1/AnswerPermission.${String(nth)}`)], nth * 10_000 + 500);
    assert.deepEqual(state.attempts["work#1"]?.health.open, []);
  }
  assert.deepEqual(
    [state.attempts["work#1"]?.assessed.state, state.attempts["work#1"]?.assessed.pattern],
    ["stuck", "error_loop"],
  );
});
