import assert from "node:assert/strict";
import { test } from "node:test";
import { toSignal } from "../../../src/agents/to-signal.ts";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { evolve } from "../../../src/fold/evolve.ts";
import { jumpsBetween } from "../../../src/model/host/clock.ts";
import type { EventData, RunEvent } from "../../../src/model/events/events.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { ClockWatch } from "../../../src/model/host/clock-watch.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { describeEvent } from "../../../src/views/text/describe-event.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const T0 = Date.UTC(2026, 2, 1);
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000] as const;
const JUMPS = [HOUR, DAY, -DAY, 8 * HOUR] as const;

function atWork(): RunState {
  const data = { ...EXAMPLES.RunCreated, agents: { dev: { use: "claude" as const } } };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: T0 });
  takeTurn(state, [], T0 + SECOND);
  const started: RunEvent = {
    type: "EffectSettled",
    data: { key: "work#1/StartAgent", outcome: { kind: "done" } },
  };
  takeTurn(state, [started], T0 + SECOND);
  takeTurn(state, [received({ kind: "tool_result", ok: true, name: "x", text: "y" })], T0 + 2 * SECOND);
  return state;
}
const received = (...signals: unknown[]): RunEvent => ({
  type: "SignalsHeard",
  data: { attempt: "work#1", cursor: "1", signals: signals.map((signal) => toSignal(signal)) },
});
const jumped = (byMs: number): RunEvent => ({ type: "ClockJumped", data: { byMs, cause: "set" } });

/** Lets time alone pass, and tells what was decided when, as seen by somebody whose clock was never set. */
function pass(state: RunState, until: number, setBy: number): string[] {
  const reported: string[] = [];
  for (let now = nextDeadline(state, state.at); now !== null && now <= until; now = nextDeadline(state, now))
    for (const event of takeTurn(state, [], now)) reported.push(`${String(now - setBy - T0)} ${event.type}`);
  return reported;
}

test("L1 P2 after any jump of the clock the same is decided about a working agent, after the same time", () => {
  const calm = atWork();
  const expected = pass(calm, T0 + 3 * HOUR, 0);
  assert.ok(expected.some((line) => line.endsWith("HealthChanged")));
  for (const byMs of JUMPS) {
    const state = atWork();
    const before = T0 + 5 * MINUTE;
    const early = pass(state, before, 0);
    const atJump = takeTurn(state, [jumped(byMs)], before + byMs);
    assert.deepEqual(
      atJump.map(({ type }) => type),
      ["ClockJumped"],
      `nothing follows from a jump of ${String(byMs)}`,
    );
    assert.deepEqual([...early, ...pass(state, T0 + 3 * HOUR + byMs, byMs)], expected, String(byMs));
  }
});

test("L4 L9 what was named by the clock stays, and what was to last so long lasts so long", () => {
  const alarm = { note: "look", by: "ada", wakes: false } as const;
  for (const byMs of JUMPS) {
    const state = atWork();
    const named = received({ kind: "rate_limit", text: "resets 3pm", resetsAt: T0 + 9 * HOUR });
    takeTurn(
      state,
      [
        { type: "AlarmSet", data: { alarm: { ...alarm, id: "at", dueAt: T0 + 2 * HOUR } } },
        {
          type: "AlarmSet",
          data: { alarm: { ...alarm, id: "in", dueAt: T0 + 2 * HOUR + 1, afterMs: 2 * HOUR } },
        },
        named,
      ],
      T0 + MINUTE,
    );
    const copy = structuredClone(state.alarms);
    evolve(state, jumped(byMs), { run: "run_1", seq: state.seq + 1, at: T0 + MINUTE + byMs });
    assert.equal(state.alarms["at"]?.dueAt, copy["at"]?.dueAt);
    assert.equal(state.alarms["in"]?.dueAt, T0 + 2 * HOUR + 1 + byMs);
    assert.equal(state.attempts["work#1"]?.health.limit?.until, T0 + 9 * HOUR);
    const [attempt] = Object.values(state.attempts);
    assert.equal(attempt?.startedAt, T0 + SECOND + byMs);
    const waits = received({ kind: "rate_limit", text: "wait", retryAfterMs: MINUTE });
    takeTurn(state, [waits], T0 + MINUTE + byMs);
    evolve(state, jumped(byMs), { run: "run_1", seq: state.seq + 1, at: T0 + MINUTE + 2 * byMs });
    assert.equal(state.attempts["work#1"]?.health.limit?.until, T0 + 2 * MINUTE + 2 * byMs);
  }
});

test("J1 events that were folded before a jump are not changed by it", () => {
  const state = atWork();
  const set: EventData<"AlarmSet"> = {
    alarm: { id: "in", dueAt: T0 + HOUR, afterMs: HOUR, note: "n", by: "ada", wakes: false },
  };
  takeTurn(state, [{ type: "AlarmSet", data: set }], T0 + MINUTE);
  takeTurn(state, [jumped(HOUR)], T0 + MINUTE + HOUR);
  assert.equal(set.alarm.dueAt, T0 + HOUR);
});

test("P2 a set clock and a suspended machine are distinguished, and nothing is known across a boot", () => {
  const before = { boot: "a", at: T0, runMs: 100, upMs: 100 };
  const later = (more: object) =>
    jumpsBetween(before, { boot: "a", at: T0 + MINUTE, runMs: 60_100, upMs: 60_100, ...more });
  assert.deepEqual(later({}), []);
  assert.deepEqual(later({ at: T0 + MINUTE + 3 * SECOND }), []);
  assert.deepEqual(later({ at: T0 + MINUTE + HOUR }), [{ byMs: HOUR, cause: "set" }]);
  assert.deepEqual(later({ at: T0 + MINUTE - DAY }), [{ byMs: -DAY, cause: "set" }]);
  const lid = { at: T0 + MINUTE + HOUR, upMs: 60_100 + HOUR };
  assert.deepEqual(later(lid), [{ byMs: HOUR, cause: "suspended" }]);
  assert.deepEqual(later({ ...lid, at: T0 + MINUTE + HOUR - DAY }), [
    { byMs: HOUR, cause: "suspended" },
    { byMs: -DAY, cause: "set" },
  ]);
  assert.deepEqual(later({ at: T0 + HOUR, boot: "b" }), []);
  assert.deepEqual(later({ at: T0 + HOUR, runMs: 50 }), []);
});

test("J4 P2 a jump is noticed once, also when it came while nobody owned the run", () => {
  const clocks = { at: T0, runMs: 0, upMs: 0 };
  const world = {
    ...({} as ConstructorParameters<typeof ClockWatch>[0]),
    steady: () => ({ clock: "a", ms: clocks.runMs }),
    clock: () => ({ boot: "a", ...clocks }),
  };
  const first = new ClockWatch(world, null);
  assert.deepEqual(first.jumps(T0), []);
  const onRecord = first.read().clock;
  Object.assign(clocks, { at: T0 + HOUR + SECOND, runMs: SECOND, upMs: SECOND });
  const next = new ClockWatch(world, onRecord ?? null);
  const [jump, ...more] = next.jumps(clocks.at);
  assert.deepEqual(more, []);
  assert.ok(jump?.type === "ClockJumped" && jump.data.byMs === HOUR);
  assert.deepEqual(next.jumps(clocks.at), []);
  const recorded = { run: "run_1", seq: 1, at: clocks.at, ...jump } as Parameters<typeof describeEvent>[0];
  assert.match(describeEvent(recorded), /the clock was set forward by 1h/);
});
