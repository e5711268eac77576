import assert from "node:assert/strict";
import { test } from "node:test";
import { evolve } from "../../../src/fold/evolve.ts";
import { limitAt } from "../../../src/decide/attempt/live-attempt.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { hostFaultIn } from "../../../src/model/host/host-fault.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;
const KEY = "work#1/StartAgent";

function starting(): RunState {
  const created: RunEvent = { type: "RunCreated", data: EXAMPLES.RunCreated };
  const state = evolve(null, created, { run: "run_1", seq: 1, at: 0 });
  const claim = { owner: "own_1", epoch: 1, from: "nobody", host: "alpha" } as const;
  takeTurn(state, [{ type: "RunClaimed", data: claim }], SECOND);
  return state;
}

const delayed = (fault: "descriptors" | "disk"): RunEvent => ({
  type: "EffectDelayed",
  data: { key: KEY, fault, text: `${fault} are gone` },
});

test("L7 P2 what an operating system, git or a shell refuses for want of something is called by its name, and nothing else is", () => {
  const said: readonly (readonly [string, string | null])[] = [
    ["EMFILE: too many open files, open '/a/identity'", "descriptors"],
    ["spawn /bin/sh ENFILE", "descriptors"],
    ["spawn /bin/sh EAGAIN", "processes"],
    ["fatal: cannot fork: Resource temporarily unavailable", "processes"],
    ["read EAGAIN", null],
    ["spawn ENOMEM", "memory"],
    ["ENOSPC: no space left on device, write", "disk"],
    ["EDQUOT: disk quota exceeded, mkdir '/a'", "disk"],
    ["error: unable to write file a: No space left on device", "disk"],
    ["the session was ended before it began", null],
    ["EACCES: permission denied, open '/a'", null],
  ];
  for (const [text, fault] of said) assert.equal(hostFaultIn(text), fault, text);
});

test("L7 P2 while the host keeps an agent from being started the time of its attempt does not run, and its health names the host", () => {
  const state = starting();
  takeTurn(state, [delayed("descriptors")], 2 * SECOND);
  takeTurn(state, [delayed("disk")], 3 * SECOND);
  takeTurn(state, [], 9 * HOUR);
  const [attempt] = Object.values(state.attempts);
  assert.ok(attempt !== undefined && attempt.ending === null);
  assert.equal(limitAt(state, attempt), Infinity);
  const { health, hostFaults } = statusView(state, null, 9 * HOUR);
  assert.deepEqual([health.state, health.waitsFor], ["waiting", "host"]);
  assert.deepEqual(
    hostFaults.map(({ fault, what, since, command }) => [fault, what, since, command]),
    [["disk", "StartAgent of work#1", "1970-01-01T00:00:02.000Z", "holdfast doctor"]],
  );
  takeTurn(state, [{ type: "EffectSettled", data: { key: KEY, outcome: { kind: "done" } } }], 9 * HOUR);
  assert.equal(limitAt(state, attempt), 9 * HOUR - 2 * SECOND + state.settings.attempts.limitMs + SECOND);
  assert.deepEqual(statusView(state, null, 9 * HOUR).hostFaults, []);
  assert.equal(state.steps["work"]?.charged, 0);
});

test("L7 a delay that is reported after its effect was given up changes nothing", () => {
  const state = starting();
  assert.deepEqual(
    takeTurn(
      state,
      [{ type: "EffectDelayed", data: { key: "gone#1/StartAgent", fault: "disk", text: "" } }],
      2_000,
    ),
    [],
  );
  assert.equal(state.delayed, undefined);
});

test("L7 P2 an agent that ends while its disk is full is not charged for it; what it had finished counts", () => {
  const state = starting();
  takeTurn(state, [{ type: "EffectSettled", data: { key: KEY, outcome: { kind: "done" } } }], 2 * SECOND);
  const exit = { kind: "exit", how: "code", code: 1, fault: "disk" } as const;
  const events = takeTurn(
    state,
    [{ type: "SignalsHeard", data: { attempt: "work#1", cursor: "1", signals: [exit] } }],
    3 * SECOND,
  );
  const ended = events.flatMap((event) => (event.type === "AttemptEnded" ? [event.data] : []));
  assert.deepEqual(
    ended.map(({ outcome, charged, diedWith }) => [outcome, charged, diedWith]),
    [["interrupted", false, "disk"]],
  );
});
