import assert from "node:assert/strict";
import { test } from "node:test";
import { durationsKept } from "../../sim/checkers/watch-time.ts";
import type { Moment } from "../../sim/world/replay.ts";
import type { RunEvent } from "../../src/model/events/events.ts";

const T0 = Date.UTC(2026, 2, 1);
const MINUTE = 60_000;

type Step = readonly [ranMs: number, setBy: number, type: RunEvent["type"], data?: object];

/** What the checker says of events that happened after so much time of the machine, under a clock set by so much. */
function said(steps: readonly Step[], pending: object = {}): string[] {
  const found: string[] = [];
  const watcher = durationsKept();
  for (const [index, [ranMs, setBy, type, data = {}]] of steps.entries()) {
    const clock = { boot: "here", at: T0 + ranMs + setBy, runMs: ranMs, upMs: ranMs };
    const event = { type, data: { ...data, clock }, seq: index + 1, at: clock.at };
    const state = { status: "running", alarms: pending, attempts: {}, steps: {} };
    watcher.see({ event, state, was: "running", turnEnds: true } as unknown as Moment, (text) =>
      found.push(text),
    );
  }
  return found;
}

const guardFor = (ms: number, ranMs: number): Step => [
  ...([ranMs, 0, "CrashGuardTripped"] as const),
  { until: T0 + ranMs + ms },
];
const start = (ranMs: number, setBy: number): Step => [
  ...([ranMs, setBy, "AttemptStarted"] as const),
  { attempt: "work#2", step: "work" },
];

test("P1 the simulator's checker of time finds a duration that a set clock cut short, and no other", () => {
  const hour = 60 * MINUTE;
  const begun = [[0, 0, "RunClaimed"], guardFor(10 * MINUTE, MINUTE)] as const satisfies readonly Step[];
  const jump: Step = [2 * MINUTE, hour, "ClockJumped", { byMs: hour }];
  assert.match(said([...begun, jump, start(3 * MINUTE, hour)])[0] ?? "", /before its 600000 ms/);
  assert.deepEqual(said([...begun, jump, start(12 * MINUTE, hour)]), []);
  const taken: Step = [2 * MINUTE, -hour, "RunClaimed"];
  assert.deepEqual(said([...begun, taken, start(12 * MINUTE, -hour)]), []);
  assert.match(said([...begun, taken, start(9 * MINUTE, -hour)])[0] ?? "", /the crash guard before work#2/);
});

test("P1 the simulator's checker of time finds an alarm that a clock that was set back left pending", () => {
  const alarm = {
    id: "a1",
    dueAt: T0 + 10 * MINUTE,
    afterMs: 10 * MINUTE,
    wakes: false,
    note: "",
    by: "ada",
  };
  const pending = { a1: alarm };
  const set: Step[] = [
    [0, 0, "RunClaimed"],
    [0, 0, "AlarmSet", { alarm }],
    [MINUTE, -60 * MINUTE, "ClockJumped", { byMs: -60 * MINUTE }],
  ];
  assert.deepEqual(said([...set, [9 * MINUTE, -60 * MINUTE, "NoticeSent"] as unknown as Step], pending), []);
  const late = said([...set, [20 * MINUTE, -60 * MINUTE, "NoticeSent"] as unknown as Step], pending);
  assert.match(late[0] ?? "", /a1 was to ring after 600000 ms and had not/);
});
