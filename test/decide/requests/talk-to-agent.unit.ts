import assert from "node:assert/strict";
import { test } from "node:test";
import { AGENT_KINDS } from "../../../src/model/agent/kinds/registry.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import { CONVERSATION_MISSING, type Signal } from "../../../src/model/agent/signals.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { inboxEntries } from "../../../src/views/runs/inbox.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { nowOf } from "../../../src/views/why/why-now.ts";
import { atWork, received, only, settled } from "./run-at-work.ts";

const effects = (events: readonly RunEvent[]) => only(events, "EffectIntended").map(({ effect }) => effect);

const asked = (request: RunRequest): RunEvent => ({
  type: "RequestHeard",
  data: { requestId: "req_1", request, by: "ann" },
});
const died: Signal = { kind: "exit", how: "signal", signal: "SIGKILL" };

test("A6 the next attempt goes on with the conversation, for every agent that can", () => {
  for (const use of AGENT_KINDS) {
    const state = atWork({ use });
    takeTurn(state, [received("work#1", { kind: "conversation", id: "c-1" }, died)], 2_000);
    const [start] = effects(takeTurn(state, [], 60_000));
    assert.ok(start?.kind === "StartAgent");
    const can = ["claude", "codex", "opencode", "gemini", "acp", "command", "tmux"].includes(use);
    assert.equal(start.resume, can ? "c-1" : undefined, use);
    assert.equal(start.task.includes("You were interrupted"), can, use);
  }
});

test("A6 a conversation that is not there any more is not asked for again", () => {
  const state = atWork({ use: "claude" });
  const missing: Signal = {
    kind: "error",
    text: "no such conversation",
    terminal: false,
    code: CONVERSATION_MISSING,
  };
  takeTurn(state, [received("work#1", { kind: "conversation", id: "c-1" }, missing, died)], 2_000);
  const [start] = effects(takeTurn(state, [], 60_000));
  assert.ok(start?.kind === "StartAgent");
  assert.equal(start.resume, undefined);
});

test("A6 R2 a conversation that could not be gone on with costs its step no attempt, and only once", () => {
  const state = atWork({ use: "gemini" });
  const missing: Signal = {
    kind: "error",
    text: "broken history",
    terminal: false,
    code: CONVERSATION_MISSING,
  };
  const refused: Signal = { kind: "exit", how: "code", code: 1 };
  takeTurn(state, [received("work#1", { kind: "conversation", id: "c-1" }, died)], 2_000);
  assert.equal(state.steps["work"]?.charged, 1);
  takeTurn(state, [], 60_000);
  takeTurn(state, [settled("work#2/StartAgent")], 60_000);
  const lost = takeTurn(state, [received("work#2", missing, refused)], 61_000);
  assert.equal(only(lost, "AttemptEnded")[0]?.charged, false);
  takeTurn(state, [], 120_000);
  takeTurn(state, [settled("work#3/StartAgent")], 120_000);
  const again = takeTurn(state, [received("work#3", missing, refused)], 121_000);
  assert.equal(only(again, "AttemptEnded")[0]?.charged, true);
});

test("A5 A8 an agent that does not receive what it is sent is ended at its limit all the same", () => {
  const state = atWork({ use: "acp" });
  takeTurn(state, [received("work#1", { kind: "progress", text: "at work" })], 2_000);
  const [message] = effects(takeTurn(state, [asked({ kind: "tell", text: "listen" })], 3_000));
  assert.equal(message?.kind, "TellAgent");
  const late = takeTurn(state, [], 1_000 + state.settings.attempts.limitMs);
  assert.equal(only(late, "AttemptEnding")[0]?.to, "timed_out");
  assert.ok(effects(late).some(({ kind }) => kind === "EndAgent"));
});

test("A9 what an agent asks to be allowed is answered by its policy, without a person", () => {
  for (const [permissions, allow] of [
    ["allow", true],
    ["deny", false],
  ] as const) {
    const state = atWork({ use: "acp", permissions });
    const [answer] = effects(
      takeTurn(state, [received("work#1", { kind: "permission", askId: "p1", what: "rm -r build" })], 2_000),
    );
    assert.ok(answer?.kind === "AnswerPermission");
    assert.deepEqual([answer.askId, answer.allow], ["p1", allow]);
    assert.equal(state.status, "running");
  }
});

test("A9 without a policy a person is asked, and yes and no reach the agent, which lives on", () => {
  for (const [request, allow] of [
    [{ kind: "approve" }, true],
    [{ kind: "reject", note: "not that folder" }, false],
  ] as const) {
    const state = atWork({ use: "acp" });
    takeTurn(state, [received("work#1", { kind: "permission", askId: "p1", what: "rm -r build" })], 2_000);
    assert.equal(state.status, "awaiting_approval");
    assert.match(state.blocked?.detail ?? "", /dev asks for permission: rm -r build/);
    const events = takeTurn(state, [asked(request)], 3_000);
    const [answer] = effects(events);
    assert.ok(answer?.kind === "AnswerPermission");
    assert.equal(answer.allow, allow);
    assert.deepEqual(only(events, "AttemptEnding"), []);
    assert.equal(state.status, "running");
  }
});

test("A9 an answer that did not reach the agent is given again", () => {
  const state = atWork({ use: "acp", permissions: "allow" });
  takeTurn(state, [received("work#1", { kind: "permission", askId: "p1", what: "w" })], 2_000);
  const outcome = { kind: "failed", text: "busy", terminal: false } as const;
  const again = takeTurn(
    state,
    [{ type: "EffectSettled", data: { key: "work#1/AnswerPermission", outcome } }],
    3_000,
  );
  assert.deepEqual(
    only(again, "EffectIntended").map(({ key }) => key),
    ["work#1/AnswerPermission.2"],
  );
});

test("A8 words reach an agent that can receive messages at work; others have them with their next attempt", () => {
  const live = atWork({ use: "tmux" });
  const [reported] = effects(takeTurn(live, [asked({ kind: "tell", text: "hurry" })], 2_000));
  assert.ok(reported?.kind === "TellAgent");
  assert.equal(reported.text, "hurry");
  const later = atWork({ use: "claude" });
  takeTurn(later, [asked({ kind: "tell", text: "hurry" })], 2_000);
  takeTurn(later, [received("work#1", died)], 3_000);
  const [start] = effects(takeTurn(later, [], 60_000));
  assert.ok(start?.kind === "StartAgent");
  assert.match(start.task, /A person \(ann\) says:\nhurry/);
});

test("A8 words that did not reach the agent are kept for its next attempt", () => {
  const state = atWork({ use: "tmux" });
  takeTurn(state, [asked({ kind: "tell", text: "hurry" })], 2_000);
  const outcome = { kind: "failed", text: "a dialog is open", terminal: false } as const;
  const events = takeTurn(
    state,
    [{ type: "EffectSettled", data: { key: "work#1/TellAgent", outcome } }],
    3_000,
  );
  assert.deepEqual(only(events, "StepAdvised"), [{ step: "work", note: "hurry", by: "ann" }]);
});

test("A8 words under way when their attempt ends are kept for the next one", () => {
  const state = atWork({ use: "acp" });
  takeTurn(state, [asked({ kind: "tell", text: "hurry" })], 2_000);
  const events = takeTurn(state, [received("work#1", died)], 3_000);
  assert.deepEqual(only(events, "StepAdvised"), [{ step: "work", note: "hurry", by: "ann" }]);
  const [start] = effects(takeTurn(state, [], 60_000));
  assert.ok(start?.kind === "StartAgent");
  assert.match(start.task, /A person \(ann\) says:\nhurry/);
});

test("A8 a message is shown with its author until an attempt has started with it, and for ever where none did", () => {
  const state = atWork({ use: "claude" });
  takeTurn(state, [asked({ kind: "tell", text: "hurry" })], 2_000);
  const waits =
    /the message of ann for step work \(1970-01-01T00:00:02.000Z\) waits for its next attempt: hurry/;
  assert.match(nowOf(state).join("\n"), waits);
  assert.deepEqual(
    statusView(state, null).messages.map(({ by, text, state: is }) => [by, text, is]),
    [["ann", "hurry", "waits"]],
  );
  takeTurn(state, [received("work#1", died)], 3_000);
  const events = takeTurn(state, [], 60_000);
  assert.equal(only(events, "AttemptStarted").length, 1);
  assert.equal(statusView(state, null).messages.length, 1, "it is on its way, and has not arrived");
  takeTurn(state, [settled("work#2/StartAgent")], 60_000);
  assert.deepEqual(statusView(state, null).messages, []);

  const done = atWork({ use: "claude" });
  takeTurn(done, [asked({ kind: "tell", text: "hurry" })], 2_000);
  const claim: Signal = { kind: "result", ok: true, text: "done" };
  takeTurn(done, [received("work#1", claim, { kind: "exit", how: "code", code: 0 })], 3_000);
  done.status = "completed";
  assert.match(
    nowOf(done).join("\n"),
    /the message of ann for step work \(.*\) never reached an agent: hurry/,
  );
});

test("A8 an attempt that could not be started has delivered nothing", () => {
  const state = atWork({ use: "claude" });
  takeTurn(state, [asked({ kind: "tell", text: "hurry" })], 2_000);
  takeTurn(state, [received("work#1", died)], 3_000);
  takeTurn(state, [], 60_000);
  const outcome = { kind: "failed", text: "no such program", terminal: false } as const;
  takeTurn(state, [{ type: "EffectSettled", data: { key: "work#2/StartAgent", outcome } }], 61_000);
  assert.deepEqual(
    statusView(state, null).messages.map(({ by, text, state: is }) => [by, text, is]),
    [["ann", "hurry", "waits"]],
  );
});

test("A8 the task names everybody who spoke, in their order, and the inbox shows what waits", () => {
  const state = atWork({ use: "claude" });
  const said = (by: string, note: string): RunEvent => ({
    type: "StepAdvised",
    data: { step: "work", note, by },
  });
  takeTurn(
    state,
    [said("ann", "one"), said("ann", "two"), said("holdfast", "three"), said("bob", "four")],
    2_000,
  );
  state.blocked = { reason: "stuck", detail: "it loops", attemptKept: false, guidance: [] };
  assert.deepEqual(
    inboxEntries(state, null)[0]?.messages.map(({ by, text }) => `${by}: ${text}`),
    ["ann: one", "ann: two", "bob: four"],
  );
  state.blocked = null;
  takeTurn(state, [received("work#1", died)], 3_000);
  const [start] = effects(takeTurn(state, [], 60_000));
  assert.ok(start?.kind === "StartAgent");
  assert.match(
    start.task,
    /A person \(ann\) says:\none\ntwo\n\nHoldfast notes:\nthree\n\nA person \(bob\) says:\nfour$/,
  );
});
