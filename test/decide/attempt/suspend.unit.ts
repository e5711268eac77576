import assert from "node:assert/strict";
import { test } from "node:test";
import { isAtRest } from "../../../src/decide/decide.ts";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { AGENTS, AGENT_KINDS } from "../../../src/model/agent/kinds/registry.ts";
import { BLOCKED_REASONS, type Blocked, type BlockedReason } from "../../../src/model/requests/blocked.ts";
import type { Effect } from "../../../src/model/effects/effects.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import { Circling, only } from "../circling.ts";

const MINUTE = 60_000;

const blocks = (reason: BlockedReason, more: Partial<Blocked> = {}): RunEvent => ({
  type: "RunBlocked",
  data: { blocked: { reason, detail: "look", step: "work", attemptKept: true, guidance: [], ...more } },
});

let requests = 0;
const request = (of: RunRequest): RunEvent => ({
  type: "RequestHeard",
  data: { requestId: `req_${String((requests += 1))}`, request: of, by: "ann" },
});

/** An agent at work that has a conversation. */
function working(use: AgentSpec["use"], settings: object = {}): Circling {
  const run = new Circling({ use }, settings);
  run.loops = false;
  run.receive("work#1", [
    { kind: "conversation", id: "talk" },
    { kind: "tool_call", name: "bash", args: "make" },
  ]);
  return run;
}

/** Lets time pass; the agent does not end its turn by itself. */
function pass(run: Circling, until: number): void {
  for (;;) {
    const due = nextDeadline(run.state, run.now);
    if (due === null || due > until) break;
    run.turn([], due);
  }
  run.turn([], until);
}

const suspended = (run: Circling) =>
  only(run.events, "AttemptEnding").filter(({ to }) => to === "suspended").length;

test("B1 for every blocked reason and every driver no session is left two minutes later, and nothing is charged", () => {
  for (const use of AGENT_KINDS)
    for (const reason of BLOCKED_REASONS) {
      if (use === "manual") continue;
      const run = working(use);
      run.turn([blocks(reason)]);
      pass(run, run.now + 2 * MINUTE);
      assert.equal(suspended(run), 1, `${use} ${reason}`);
      assert.deepEqual(Object.keys(run.state.attempts), [], `${use} ${reason}`);
      assert.equal(run.state.steps["work"]?.charged, 0, `${use} ${reason}`);
      assert.equal(isAtRest(run.state, run.now), true, `${use} ${reason}`);
      assert.ok(["blocked", "awaiting_approval"].includes(run.state.status), `${use} ${reason}`);
    }
});

test("B1 retry continues a suspended session in the same conversation, for every driver that can", () => {
  for (const use of AGENT_KINDS) {
    if (use === "manual") continue;
    const run = working(use);
    run.turn([blocks("stuck")]);
    pass(run, run.now + 2 * MINUTE);
    run.turn([request({ kind: "retry", step: "work" })]);
    const start = only(run.events, "EffectIntended")
      .map(({ effect }) => effect)
      .filter((effect) => effect.kind === "StartAgent")
      .at(-1);
    assert.equal(start?.attempt, "work#2", use);
    assert.equal(start.resume, AGENTS[use].capabilities.resume ? "talk" : undefined, use);
    assert.equal(run.state.steps["work"]?.suspended, null);
  }
});

test("B1 with a standing loop verdict the session is suspended at once, otherwise within a minute", () => {
  const looping = new Circling({ use: "claude" }, { ladder: { restarts: 0 } });
  looping.work(60 * MINUTE);
  assert.equal(looping.state.blocked?.reason, "stuck");
  assert.equal(suspended(looping), 1);
  assert.equal(looping.state.at, looping.state.blockedAt, "at the instant of the block");

  const run = working("claude");
  run.turn([blocks("operator_escalation")]);
  assert.equal(suspended(run), 0, "its turn may end");
  assert.equal(nextDeadline(run.state, run.now), run.state.blockedAt + MINUTE);
  pass(run, run.state.blockedAt + MINUTE - 1);
  assert.equal(suspended(run), 0);
  pass(run, run.state.blockedAt + MINUTE);
  assert.equal(suspended(run), 1);
});

test("B1 a loop that is found while people are asked suspends the session at once", () => {
  const run = new Circling({ use: "claude" });
  run.turn([blocks("operator_escalation")]);
  const calls = Array.from({ length: 6 }, () => [
    { kind: "tool_call", name: "bash", args: "ls" },
    { kind: "tool_result", name: "bash", ok: true, text: "a" },
  ]).flat();
  run.receive("work#1", calls);
  assert.equal(suspended(run), 1);
});

test("B1 work that ends by itself within the minute counts", () => {
  const run = working("claude");
  run.turn([blocks("operator_escalation")]);
  run.receive("work#1", [
    { kind: "result", ok: true, text: "done" },
    { kind: "exit", how: "code", code: 0 },
  ]);
  assert.equal(only(run.events, "AttemptEnded").at(-1)?.outcome, "succeeded");
  assert.equal(suspended(run), 0);
});

test("B1 a session that waits for the answer itself stays alive for thirty minutes, and is suspended then", () => {
  const run = working("acp");
  run.receive("work#1", [{ kind: "blocked", reason: "needs_human", text: "which one?" }]);
  assert.equal(run.state.blocked?.reason, "needs_human");
  pass(run, run.state.blockedAt + 30 * MINUTE - 1);
  assert.equal(suspended(run), 0);
  pass(run, run.state.blockedAt + 30 * MINUTE);
  assert.equal(suspended(run), 1);
});

test("B1 an agent that asked and works on is suspended like any other", () => {
  const run = working("acp");
  run.receive("work#1", [{ kind: "blocked", reason: "needs_human", text: "which one?" }]);
  pass(run, run.state.blockedAt + 50_000);
  run.receive("work#1", [{ kind: "tool_call", name: "bash", args: "a" }]);
  assert.equal(suspended(run), 0, "what was under way may end");
  pass(run, run.state.blockedAt + 70_000);
  assert.equal(suspended(run), 0, "it is idle");
  run.receive("work#1", [{ kind: "tool_call", name: "bash", args: "b" }]);
  assert.equal(suspended(run), 1);
});

test("B1 a message brings a suspended session back that a person was asked about", () => {
  for (const reason of ["stuck", "needs_human", "operator_escalation"] as const) {
    const run = working("codex");
    run.turn([blocks(reason)]);
    pass(run, run.now + 2 * MINUTE);
    run.turn([request({ kind: "tell", text: "use the other file" })]);
    assert.equal(run.state.status, "running", reason);
    const start = only(run.events, "EffectIntended").at(-1)?.effect;
    assert.ok(start?.kind === "StartAgent" && start.resume === "talk", reason);
    assert.match(start.task, /use the other file/, reason);
  }
});

test("B1 a message does not lift a budget that is spent: it is kept and the answer names the command", () => {
  const run = working("codex");
  run.turn([blocks("budget_exhausted")]);
  pass(run, run.now + 2 * MINUTE);
  run.turn([request({ kind: "tell", text: "go on" })]);
  assert.equal(run.state.status, "blocked");
  assert.deepEqual(run.state.steps["work"]?.notes, [{ by: "ann", text: "go on" }]);
});

test("A9 an approval given after the session was suspended answers the same request of the continued session, once", () => {
  const run = working("acp");
  const asks = { kind: "permission", askId: "p1", what: "rm -r build" };
  run.receive("work#1", [asks]);
  pass(run, run.now + 31 * MINUTE);
  assert.equal(suspended(run), 1);
  run.turn([request({ kind: "approve" })]);
  assert.equal(run.state.status, "running");
  run.receive("work#2", [{ kind: "permission", askId: "p9", what: "rm -r build" }]);
  const answers = only(run.events, "EffectIntended")
    .map(({ effect }) => effect)
    .filter((effect) => effect.kind === "AnswerPermission");
  assert.deepEqual(
    answers.map(({ attempt, askId, allow }) => ({ attempt, askId, allow })),
    [{ attempt: "work#2", askId: "p9", allow: true }],
  );
  run.receive("work#2", [{ kind: "permission", askId: "p10", what: "rm -r build" }]);
  assert.equal(run.state.status, "awaiting_approval", "the answer counted once");
});

test("A9 an approval of a suspended session is not given to another request", () => {
  const run = working("acp");
  run.receive("work#1", [{ kind: "permission", askId: "p1", what: "rm -r build" }]);
  pass(run, run.now + 31 * MINUTE);
  run.turn([request({ kind: "approve" })]);
  run.receive("work#2", [{ kind: "permission", askId: "p1", what: "rm -r src" }]);
  assert.equal(run.state.status, "awaiting_approval");
});

test("G10 the clock of an attempt stands while it is idle for a person, and runs while it works in a blocked run", () => {
  const idle = working("acp");
  idle.receive("work#1", [{ kind: "blocked", reason: "needs_human", text: "which one?" }]);
  pass(idle, idle.now + 20 * MINUTE);
  idle.turn([request({ kind: "unblock", escalation: "run_1.e1" })]);
  assert.equal(idle.state.attempts["work#1"]?.waitedMs, 20 * MINUTE);

  const handed = working("acp");
  handed.receive("work#1", [{ kind: "blocked", reason: "needs_human", text: "which one?" }]);
  pass(handed, handed.now + 10 * MINUTE);
  handed.turn([request({ kind: "escalate", note: "an operator knows" })]);
  pass(handed, handed.now + 10 * MINUTE);
  handed.turn([request({ kind: "unblock", escalation: "run_1.e2" })]);
  assert.equal(handed.state.blocked, null);
  assert.equal(
    handed.state.attempts["work#1"]?.waitedMs,
    20 * MINUTE,
    "handed to an operator, it is one wait",
  );

  const busy = working("acp");
  busy.turn([blocks("operator_escalation")]);
  pass(busy, busy.now + 40_000);
  busy.turn([request({ kind: "unblock", escalation: "run_1.e1" })]);
  assert.equal(busy.state.attempts["work#1"]?.waitedMs, 0);
});

const ASKED = {
  step: "work",
  agent: "dev",
  spec: { use: "claude" },
  task: "look",
  at: 0,
  limitMs: 600_000,
  usd: 1,
} as const;
const REVIEW: Effect = {
  ...ASKED,
  kind: "AskReview",
  attempt: "work#1",
  session: "review-1",
  tree: "/srv/tree",
};
const TRIAGE: Effect = {
  ...ASKED,
  kind: "AskTriage",
  of: "work#1",
  session: "triage-1",
  openedAt: 0,
  position: 1,
  pattern: "no_progress",
  evidence: [],
};

test("B1 a reviewer and an agent that triage asks are ended like other sessions while people are asked", () => {
  for (const effect of [REVIEW, TRIAGE]) {
    const run = new Circling({ use: "claude" });
    run.answers = { AskReview: null, AskTriage: null };
    const key = `work#1/${effect.kind}`;
    run.turn([{ type: "EffectIntended", data: { key, effect } }]);
    run.turn([blocks("operator_escalation", {})]);
    pass(run, run.state.blockedAt + MINUTE - 1);
    assert.ok(key in run.state.effects);
    pass(run, run.state.blockedAt + MINUTE);
    assert.deepEqual(run.state.effects, {});
    const ended = only(run.events, "EffectIntended").map((intended) => intended.effect);
    assert.ok(
      ended.some((one) => one.kind === "EndAgent" && one.session === effect.session),
      effect.kind,
    );
  }
});

test("A5 B1 a session whose agent has gone is over only when what the agent has started is ended as well", () => {
  const run = working("command");
  run.answers = { EndAgent: null };
  run.turn([blocks("operator_escalation")]);
  pass(run, run.now + MINUTE);
  run.receive("work#1", [{ kind: "exit", how: "signal", signal: "SIGINT" }]);
  assert.deepEqual([suspended(run), Object.keys(run.state.attempts)], [1, ["work#1"]]);
  assert.equal(isAtRest(run.state, run.now), false, "its supervisor stays for it");
  run.answers = {};
  run.turn([]);
  assert.equal(isAtRest(run.state, run.now), true);
});
