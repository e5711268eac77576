import assert from "node:assert/strict";
import { test } from "node:test";
import { isAtRest } from "../../../src/decide/decide.ts";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import type { RequestAnswer, RunRequest } from "../../../src/model/requests/requests.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { atWork as startedRun, received, only, settled } from "./run-at-work.ts";

const MINUTE = 60_000;

/** Nobody is hurried here: silence is not what these tests are about. */
const PATIENT = { health: { turnDegradedMs: 86_400_000, turnStuckMs: 86_400_000 } };

const atWork = (dev: AgentSpec, settings: object = {}): RunState =>
  startedRun(dev, runSettingsSchema.parse({ ...PATIENT, ...settings }));

const DONE: readonly Signal[] = [
  { kind: "result", ok: true, text: "waiting for the build" },
  { kind: "exit", how: "code", code: 0 },
];
const DIED: Signal = { kind: "exit", how: "signal", signal: "SIGKILL" };

let asks = 0;
function ask(state: RunState, request: RunRequest, now: number): RequestAnswer {
  const requestId = `req_${String((asks += 1))}`;
  const events = takeTurn(state, [{ type: "RequestHeard", data: { requestId, request, by: "ann" } }], now);
  const [answer] = only(events, "RequestAnswered");
  assert.ok(answer !== undefined);
  return answer.answer;
}

const alarm = (dueAt: number, more: object = {}): RunRequest => ({
  kind: "alarm",
  dueAt,
  note: "look at the build",
  ...more,
});

function startOf(events: readonly RunEvent[]): string {
  const [start] = only(events, "EffectIntended").flatMap(({ effect }) =>
    effect.kind === "StartAgent" ? [effect] : [],
  );
  assert.ok(start !== undefined, "no attempt was started");
  return start.task;
}

test("L9 an alarm rings once, when it is due and not before, and the agent at work receives it", () => {
  const state = atWork({ use: "tmux" });
  assert.equal(ask(state, alarm(20 * MINUTE), 2_000).kind, "done");
  assert.equal(nextDeadline(state, 2_000), 181_000, "the first output is waited for before");
  takeTurn(state, [received("work#1", { kind: "ready" })], 3_000);
  assert.equal(nextDeadline(state, 3_000), 20 * MINUTE);
  assert.deepEqual(takeTurn(state, [], 20 * MINUTE - 1), []);
  const rings = takeTurn(state, [], 20 * MINUTE);
  assert.equal(only(rings, "AlarmRang")[0]?.how, "told");
  const [reported] = only(rings, "EffectIntended").map(({ effect }) => effect);
  assert.ok(reported?.kind === "TellAgent");
  assert.match(reported.text, /alarm that ann set for .* rings: look at the build/);
  assert.deepEqual(takeTurn(state, [], 21 * MINUTE), []);
  assert.deepEqual(state.alarms, {});
});

test("L9 words of an alarm that did not reach the agent are given to the next attempt, once", () => {
  const state = atWork({ use: "tmux" });
  ask(state, alarm(20 * MINUTE), 2_000);
  takeTurn(state, [received("work#1", { kind: "ready" })], 3_000);
  takeTurn(state, [], 20 * MINUTE);
  const outcome = { kind: "failed", text: "a dialog is open", terminal: false } as const;
  takeTurn(state, [{ type: "EffectSettled", data: { key: "work#1/TellAgent", outcome } }], 21 * MINUTE);
  takeTurn(state, [received("work#1", DIED)], 22 * MINUTE);
  assert.match(startOf(takeTurn(state, [], 23 * MINUTE)), /rings: look at the build$/);
  takeTurn(state, [settled("work#2/StartAgent"), received("work#2", { kind: "ready" }, DIED)], 24 * MINUTE);
  assert.doesNotMatch(startOf(takeTurn(state, [], 25 * MINUTE)), /look at the build/);
});

test("L9 an attempt that never said anything gives back what rang, and the next one has it", () => {
  const state = atWork({ use: "claude" });
  ask(state, alarm(2 * MINUTE), 2_000);
  takeTurn(state, [received("work#1", DIED)], 3 * MINUTE);
  assert.match(startOf(takeTurn(state, [], 4 * MINUTE)), /look at the build/);
  const outcome = { kind: "failed", text: "no memory", terminal: false } as const;
  const failed: RunEvent = { type: "EffectSettled", data: { key: "work#2/StartAgent", outcome } };
  takeTurn(state, [failed], 5 * MINUTE);
  takeTurn(state, [settled("work#2/EndAgent")], 5 * MINUTE);
  assert.match(startOf(takeTurn(state, [], 7 * MINUTE)), /look at the build/);
});

test("L9 what is due while an agent works that cannot receive it rings when that one ends", () => {
  const state = atWork({ use: "claude" });
  ask(state, alarm(2 * MINUTE), 2_000);
  takeTurn(state, [received("work#1", { kind: "conversation", id: "c-1" })], 3_000);
  assert.deepEqual(takeTurn(state, [], 5 * MINUTE), []);
  assert.equal(statusView(state, null).alarms[0]?.afterAttempt, true);
  const limit = nextDeadline(state, 5 * MINUTE);
  assert.ok(limit !== null && limit > 60 * MINUTE, "it does not wake again and again for it");
  const ended = takeTurn(state, [received("work#1", DIED)], 6 * MINUTE);
  assert.equal(only(ended, "AlarmRang")[0]?.how, "kept");
});

test("L9 an agent that ends its turn with its alarm pending sleeps, and goes on when it rings", () => {
  const state = atWork({ use: "claude" });
  assert.equal(ask(state, alarm(20 * MINUTE, { attempt: "work#1" }), 2_000).kind, "done");
  const slept = takeTurn(state, [received("work#1", { kind: "conversation", id: "c-1" }, ...DONE)], 3_000);
  const [ended] = only(slept, "AttemptEnded");
  assert.deepEqual([ended?.outcome, ended?.charged], ["interrupted", false]);
  assert.equal(state.status, "running");
  assert.equal(nextDeadline(state, 3_000), 20 * MINUTE);
  assert.deepEqual(takeTurn(state, [], 20 * MINUTE - 1), []);
  const woken = takeTurn(state, [], 20 * MINUTE);
  assert.match(startOf(woken), /The alarm that you set for .* rings: look at the build/);
  takeTurn(state, [settled("work#2/StartAgent"), received("work#2", ...DONE)], 21 * MINUTE);
  assert.equal(state.status, "completed");
});

test("L9 a sleeping step whose alarm is taken back begins at once", () => {
  const state = atWork({ use: "claude" });
  ask(state, alarm(20 * MINUTE, { attempt: "work#1" }), 2_000);
  takeTurn(state, [received("work#1", ...DONE)], 3_000);
  assert.equal(ask(state, { kind: "cancel_alarm", alarm: "run_1.a1" }, 4_000).kind, "done");
  assert.equal(state.steps["work"]?.live, "work#2");
});

test("L9 a person's alarm set while the run is paused lets it go on; an agent's does not", () => {
  for (const by of ["person", "agent"] as const) {
    const state = atWork({ use: "demo" });
    if (by === "agent") ask(state, alarm(20 * MINUTE, { attempt: "work#1" }), 2_000);
    ask(state, { kind: "pause" }, 3_000);
    takeTurn(state, [settled("work#1/EndAgent"), received("work#1", DIED)], 4_000);
    assert.equal(state.status, "paused");
    if (by === "person") ask(state, alarm(20 * MINUTE), 5_000);
    assert.ok(isAtRest(state, 6_000));
    assert.ok(!isAtRest(state, 20 * MINUTE));
    assert.equal(nextDeadline(state, 6_000), 20 * MINUTE);
    const rings = takeTurn(state, [], 20 * MINUTE);
    assert.equal(only(rings, "AlarmRang")[0]?.how, "kept");
    assert.equal(state.status, by === "person" ? "running" : "paused");
  }
});

test("L9 an alarm unblocks nobody: what it says waits for the next attempt", () => {
  const state = atWork({ use: "demo" });
  takeTurn(
    state,
    [received("work#1", { kind: "blocked", reason: "needs_human", text: "which port?" })],
    2_000,
  );
  takeTurn(state, [received("work#1", DIED)], 3_000);
  assert.equal(state.status, "blocked");
  ask(state, alarm(20 * MINUTE), 4_000);
  assert.equal(only(takeTurn(state, [], 20 * MINUTE), "AlarmRang")[0]?.how, "kept");
  assert.equal(state.status, "blocked");
});

test("L9 a run that ends drops what was still to ring, and says so", () => {
  const state = atWork({ use: "demo" });
  ask(state, alarm(20 * MINUTE), 2_000);
  const ended = takeTurn(state, [received("work#1", ...DONE)], 3_000);
  assert.deepEqual(
    only(ended, "AlarmDropped").map(({ id, why }) => [id, why]),
    [["run_1.a1", "the run is completed"]],
  );
  assert.equal(nextDeadline(state, 3_000), null);
});

test("L9 alarms beyond the bounds are refused with what was seen and what is taken", () => {
  const settings = { alarms: { pending: 2, perRun: 3, longestMs: 10 * MINUTE, noteChars: 20 } };
  const state = atWork({ use: "demo" }, settings);
  const refused = (request: RunRequest, words: RegExp): void => {
    const answer = ask(state, request, 2_000);
    assert.equal(answer.kind, "refused");
    assert.match(answer.text, words);
  };
  refused(alarm(MINUTE, { note: "x".repeat(21) }), /21 characters; expected at most 20/);
  refused(alarm(MINUTE, { note: " " }), /says nothing/);
  refused(alarm(11 * MINUTE), /within 600000 ms/);
  refused(alarm(MINUTE, { step: "nothing" }), /no step "nothing"; its steps are work/);
  refused(alarm(MINUTE, { attempt: "work#2" }), /work#2 is not at work/);
  assert.equal(ask(state, alarm(MINUTE), 2_000).kind, "done");
  assert.equal(ask(state, alarm(MINUTE), 2_000).kind, "done");
  refused(alarm(MINUTE), /2 alarms are pending/);
  refused({ kind: "cancel_alarm", alarm: "run_1.a9" }, /pending are: run_1.a1, run_1.a2/);
  ask(state, { kind: "cancel_alarm", alarm: "run_1.a1" }, 2_000);
  assert.equal(ask(state, alarm(MINUTE), 2_000).kind, "done");
  ask(state, { kind: "cancel_alarm", alarm: "run_1.a2" }, 2_000);
  refused(alarm(MINUTE), /3 alarms were set in this run/);
});

test("O4 an agent takes back what agents of its step have set, and no alarm of anybody else", () => {
  const state = atWork({ use: "demo" });
  ask(state, alarm(MINUTE), 2_000);
  ask(state, alarm(MINUTE, { attempt: "work#1" }), 2_000);
  const cancel = (id: string): RequestAnswer =>
    ask(state, { kind: "cancel_alarm", alarm: id, attempt: "work#1" }, 2_000);
  assert.equal(cancel("run_1.a1").kind, "refused");
  assert.equal(cancel("run_1.a2").kind, "done");
});

test("A6 what an agent noted is handed over to an attempt that begins again, and not to its own conversation", () => {
  for (const use of ["demo", "claude"] as const) {
    const state = atWork({ use });
    const note = { done: "the parser", next: "the printer", questions: "which width?" };
    const noted = ask(state, { kind: "checkpoint_note", attempt: "work#1", note }, 2_000);
    assert.equal(noted.kind, "done");
    assert.equal(statusView(state, null).notes[0]?.next, "the printer");
    takeTurn(state, [received("work#1", { kind: "conversation", id: "c-1" }, DIED)], 3_000);
    const task = startOf(takeTurn(state, [], MINUTE));
    const handed =
      /work#1\). It noted:\s+Done:\nthe parser\s+Next:\nthe printer\s+Open questions:\nwhich width\?/;
    if (use === "demo") assert.match(task, handed);
    else assert.doesNotMatch(task, /the parser/);
  }
});

test("O4 a note that says nothing, says too much or comes from another attempt is refused", () => {
  const state = atWork({ use: "demo" }, { checkpoints: { noteChars: 10 } });
  const note = (attempt: string, done: string): RequestAnswer =>
    ask(state, { kind: "checkpoint_note", attempt, note: { done } }, 2_000);
  assert.match(note("work#1", " ").text, /says nothing/);
  assert.match(note("work#1", "x".repeat(11)).text, /11 characters; expected at most 10/);
  assert.match(note("work#2", "x").text, /work#2 is not at work/);
  assert.equal(state.steps["work"]?.checkpoint, null);
});
