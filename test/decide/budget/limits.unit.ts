import assert from "node:assert/strict";
import { test } from "node:test";
import { budgetRoom } from "../../../src/decide/budget/budget-room.ts";
import { nextDeadline } from "../../../src/decide/dispatch/deadlines.ts";
import { recoveryArguments } from "../../../src/decide/recovery/recovery.ts";
import { settingRequests } from "../../../src/cli/run/run-settings.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { done, says } from "../agent-words.ts";
import { MINUTE, answerOf, asked, begun, followAdvice, only, started } from "../budgeted-run.ts";

test("G9 turns are answers of a model, no matter what the agent does in one", () => {
  const state = begun({});
  const call = { kind: "tool_call", name: "read" } as const;
  const result = { kind: "tool_result", ok: true } as const;
  const word = { kind: "message", from: "agent", text: "now" } as const;
  takeTurn(state, [says("s0#1", word, call, call, result, result, call, result, word)], 1_000);
  assert.equal(state.spent.turns, 3);
});

test("G9 the attempt that exhausts a budget of turns or of time is accepted, and nothing more is begun", () => {
  const word = { kind: "message", from: "agent", text: "now" } as const;
  for (const budget of [{ turns: 1 }, { timeMs: 10 * MINUTE }]) {
    const state = begun({ steps: [{}, { needs: ["s0"] }], budget });
    const events = takeTurn(state, [done("s0#1", word)], 11 * MINUTE);
    assert.equal(state.steps["s0"]?.status, "succeeded");
    assert.equal(only(events, "AttemptStarted").length, 0);
    assert.equal(state.blocked?.reason, "budget_exhausted");
    followAdvice(state, 12 * MINUTE);
    assert.equal(state.status, "running");
    assert.ok(Object.hasOwn(state.attempts, "s1#1"));
  }
});

test("G9 a budget is reported once at its share and once when it is spent, and only reported where it warns", () => {
  const state = begun({ steps: [{}, { needs: ["s0"] }], budget: { usd: 10, onExceed: "warn" } });
  const near = takeTurn(state, [says("s0#1", { kind: "usage", usd: 8 })], 1_000);
  assert.deepEqual(
    only(near, "BudgetPressed").map(({ level, spent }) => [level, spent]),
    [["near", 8]],
  );
  assert.deepEqual(only(takeTurn(state, [], 2_000), "BudgetPressed"), []);
  const spent = takeTurn(state, [done("s0#1", { kind: "usage", usd: 3 })], 3_000);
  assert.deepEqual(
    only(spent, "BudgetPressed").map(({ level, attempts }) => [level, attempts]),
    [["spent", ["s0#1"]]],
  );
  assert.equal(state.status, "running");
  assert.ok(Object.hasOwn(state.attempts, "s1#1"), "a budget that only warns stops nothing");
});

test("G9 another share is reported where the budget names one", () => {
  const state = begun({ budget: { tokens: 100, warnPct: 50 } });
  const events = takeTurn(state, [says("s0#1", { kind: "usage", tokensOut: 50 })], 1_000);
  assert.deepEqual(
    only(events, "BudgetPressed").map(({ level }) => level),
    ["near"],
  );
});

test("G9 attempts side by side set parts of the budget aside: total = free + reserved + spent", () => {
  const steps = Array.from({ length: 3 }, () => ({ budget: { usd: 4 }, authority: "reviews" }));
  const state = begun({ steps, budget: { usd: 10 } });
  assert.deepEqual(
    Object.keys(state.attempts),
    ["s0#1", "s1#1"],
    "the third would count on the others' money",
  );
  const conserved = (): void => {
    for (const { total, free, reserved, spent } of budgetRoom(state, state.at))
      assert.equal(total, free + reserved + spent);
  };
  conserved();
  takeTurn(state, [says("s0#1", { kind: "usage", usd: 1 })], 1_000);
  assert.deepEqual(
    budgetRoom(state, 1_000).map(({ free, reserved, spent }) => [free, reserved, spent]),
    [[2, 7, 1]],
  );
  takeTurn(state, [done("s0#1")], 2_000);
  conserved();
  assert.ok(Object.hasOwn(state.attempts, "s2#1"), "what an attempt did not use is free again");
});

test("G9 without budgets of their own, steps share what is free, and later set aside what the dearest has cost", () => {
  const state = begun({
    steps: Array.from({ length: 5 }, () => ({ authority: "reviews" })),
    budget: { usd: 10 },
    settings: { attempts: { atOnce: 2 } },
  });
  assert.deepEqual(
    Object.values(state.attempts).map(({ reserved }) => reserved.usd),
    [5, 5],
  );
  takeTurn(state, [done("s0#1", { kind: "usage", usd: 3 })], 1_000);
  assert.equal(state.attempts["s2#1"], undefined, "10 = 2 free + 5 reserved + 3 spent, and one costs 3");
  takeTurn(state, [done("s1#1", { kind: "usage", usd: 1 })], 2_000);
  assert.deepEqual(
    Object.values(state.attempts).map(({ reserved }) => reserved.usd),
    [3, 3],
  );
});

test("G9 a step whose own budget is spent waits for more, while the others go on", () => {
  const steps = [{ budget: { usd: 1 }, authority: "reviews" }, { authority: "reviews" }];
  const state = begun({ steps, settings: { backoff: { baseMs: 1, capMs: 1 } } });
  takeTurn(state, [says("s0#1", { kind: "usage", usd: 2 }, { kind: "exit", how: "code", code: 1 })], 1_000);
  takeTurn(state, [], 2_000);
  assert.equal(state.status, "running", "s1 is at work");
  takeTurn(state, [done("s1#1")], 3_000);
  assert.equal(state.blocked?.reason, "budget_exhausted");
  assert.deepEqual(recoveryArguments(state, state.blocked), ["set", "run_1", "step.s0.budget.usd=4"]);
  const short = takeTurn(state, settingRequests(["step.s0.budget.usd=1.5"]).map(asked), 4_000);
  assert.match(answerOf(short), /\$2\.00 of \$1\.50 is spent already/);
  const events = followAdvice(state, 5_000);
  assert.deepEqual(
    only(events, "RunSettingsChanged").map(({ by, changes }) => [by, changes]),
    [["ada", [{ key: "step.s0.budget.usd", from: 1, to: 4 }]]],
  );
  assert.ok(Object.hasOwn(state.attempts, "s0#2"));
});

test("G10 a run's time limit ends its sessions uncharged, and more time lets it go on; nothing is lost", () => {
  const state = begun({ settings: { time: { runMs: 10 * MINUTE } } });
  takeTurn(state, [started("s0#1"), says("s0#1", { kind: "conversation", id: "talk" })], 1_000);
  assert.ok((nextDeadline(state, 1_000) ?? 0) <= 10 * MINUTE);
  const events = takeTurn(state, [], 10 * MINUTE);
  assert.deepEqual(
    only(events, "AttemptEnding").map(({ to }) => to),
    ["run_limit"],
  );
  assert.equal(state.blocked?.reason, "timeout");
  const ended = { type: "EffectSettled", data: { key: "s0#1/EndAgent", outcome: { kind: "done" } } } as const;
  takeTurn(state, [ended, says("s0#1", { kind: "exit", how: "signal", signal: "TERM" })], 10 * MINUTE + 1);
  assert.deepEqual([state.steps["s0"]?.charged, state.steps["s0"]?.conversation?.id], [0, "talk"]);
  const refused = takeTurn(state, [asked({ kind: "unblock", escalation: "run_1.e1" })], 60 * MINUTE);
  assert.match(
    answerOf(refused),
    /unblock is refused: the time limit of the run is reached; expected holdfast set run_1 limits\.run=20m/,
  );
  followAdvice(state, 120 * MINUTE);
  assert.equal(state.status, "running");
  assert.ok(Object.hasOwn(state.attempts, "s0#2"));
  takeTurn(state, [], 129 * MINUTE);
  assert.equal(state.status, "running", "what was waited for a person is not counted");
  takeTurn(state, [], 130 * MINUTE);
  assert.equal(state.blocked?.reason, "timeout");
});

test("G10 work that was done in the moment of the limit counts", () => {
  const state = begun({ settings: { time: { runMs: 10 * MINUTE } } });
  takeTurn(state, [done("s0#1")], 10 * MINUTE);
  assert.equal(state.steps["s0"]?.status, "succeeded");
});

test("G10 G3 what follows when a phase has used up its time is the flow's: an operator, nothing but a word, or the end", () => {
  const timedOut = (onTimeout: string) => {
    const phases = [{ name: "build", limitMs: 10 * MINUTE, onTimeout }];
    const state = begun({ steps: [{ phase: "build" }], phases });
    takeTurn(state, [started("s0#1")], 1_000);
    return { state, events: takeTurn(state, [], 11 * MINUTE) };
  };
  const asked = timedOut("ask").state.blocked;
  assert.deepEqual([asked?.reason, asked?.owner], ["timeout", undefined]);
  const escalated = timedOut("escalate");
  assert.deepEqual(
    [escalated.state.blocked?.reason, escalated.state.blocked?.owner],
    ["timeout", "operator"],
  );
  const reported = timedOut("go_on");
  const count = (events: readonly { readonly type: string }[], type: string): number =>
    events.filter((event) => event.type === type).length;
  assert.deepEqual([count(reported.events, "PhaseTimedOut"), count(reported.events, "RunBlocked")], [1, 0]);
  assert.equal(reported.state.status, "running");
  assert.equal(count(takeTurn(reported.state, [], 12 * MINUTE), "PhaseTimedOut"), 0, "it is told once");
  assert.equal(reported.state.blocked, null);
  const cancelled = timedOut("cancel");
  assert.ok(["pausing", "cancelled"].includes(cancelled.state.status));
  assert.ok(cancelled.events.some(({ type, data }) => type === "RunStopping" && data.stop === "timeout"));
});

test("G10 a phase has a time of its own, from its first attempt to its last step", () => {
  const steps = [{ phase: "plan" }, { phase: "build", needs: ["s0"] }, { phase: "build", needs: ["s1"] }];
  const phases = [{ name: "plan" }, { name: "build", limitMs: 10 * MINUTE }];
  const state = begun({ steps, phases });
  takeTurn(state, [done("s0#1")], 30 * MINUTE);
  takeTurn(state, [done("s1#1")], 39 * MINUTE);
  assert.equal(state.status, "running");
  takeTurn(state, [], 40 * MINUTE);
  assert.match(state.blocked?.detail ?? "", /the phase "build" has worked for 10m/);
  takeTurn(state, [started("s2#1")], 40 * MINUTE + 1);
  const ended = { type: "EffectSettled", data: { key: "s2#1/EndAgent", outcome: { kind: "done" } } } as const;
  takeTurn(state, [ended, says("s2#1", { kind: "exit", how: "code", code: 1 })], 41 * MINUTE);
  assert.ok(state.blocked !== null);
  assert.deepEqual(recoveryArguments(state, state.blocked), ["set", "run_1", "phase.build.limit=20m"]);
  followAdvice(state, 50 * MINUTE);
  assert.ok(Object.hasOwn(state.attempts, "s2#2"));
});

test("G3 G10 the printed command raises every limit that is reached, by enough to begin again; retry alone is refused", () => {
  const phases = [{ name: "build", limitMs: 1_000 }];
  const state = begun({
    steps: [{ phase: "build" }],
    phases,
    settings: { time: { runMs: 1_000 } },
  });
  takeTurn(state, [started("s0#1")], 1);
  takeTurn(state, [], 1_500);
  const ended = { type: "EffectSettled", data: { key: "s0#1/EndAgent", outcome: { kind: "done" } } } as const;
  takeTurn(state, [ended, says("s0#1", { kind: "exit", how: "code", code: 1 })], 1_600);
  assert.ok(state.blocked?.reason === "timeout");
  assert.match(
    answerOf(takeTurn(state, [asked({ kind: "retry" })], 2_000)),
    /retry is refused: the time limit of the run is reached.*expected holdfast set run_1/,
  );
  const [verb, run, ...limits] = recoveryArguments(state, state.blocked);
  assert.deepEqual([verb, run, limits.length], ["set", "run_1", 2]);
  for (const limit of limits) assert.match(limit, /^(limits\.run|phase\.build\.limit)=\d+s$/);
  followAdvice(state, 5_000);
  takeTurn(state, [], 65_000);
  assert.equal(state.status, "running", "a minute later it is not blocked again");
});

test("G10 status shows the pressure of a time limit before it is reached", () => {
  const state = begun({ settings: { time: { runMs: 10 * MINUTE }, attempts: { limitMs: 100 * MINUTE } } });
  const pressed = (now: number) => statusView(state, null, now).limits.map(({ of, pressed: is }) => [of, is]);
  assert.deepEqual(pressed(7 * MINUTE), [
    ["run", false],
    ["s0#1", false],
  ]);
  assert.deepEqual(pressed(8 * MINUTE), [
    ["run", true],
    ["s0#1", false],
  ]);
});

test("G10 a limit of a live attempt that is raised holds at once", () => {
  const state = begun({ settings: { attempts: { limitMs: 2 * MINUTE } } });
  takeTurn(state, [started("s0#1"), says("s0#1", { kind: "ready" })], 1_000);
  takeTurn(state, settingRequests(["limits.attempt=2h"], "it is a large one").map(asked), MINUTE);
  assert.deepEqual(only(takeTurn(state, [], 3 * MINUTE), "AttemptEnding"), []);
  takeTurn(state, settingRequests(["step.s0.limit=4m"]).map(asked), 3 * MINUTE + 1);
  assert.equal(only(takeTurn(state, [], 4 * MINUTE + 1), "AttemptEnding").length, 1);
});

test("G9 a setting that may not change is refused with the reason, also for the one that writes to the inbox", () => {
  const state = begun({});
  const refusedFor = (key: string, value: unknown): string =>
    answerOf(takeTurn(state, [asked({ kind: "set", changes: [{ key, value }] })], state.at + 1));
  assert.match(
    refusedFor("workspace.isolation", "run"),
    /workspace\.isolation cannot be changed: where a run works/,
  );
  assert.match(refusedFor("attempts.perStep", 99), /attempts\.perStep=99/);
  assert.match(refusedFor("nothing.at.all", 1), /there is no setting/);
  assert.match(refusedFor("step.s9.limitMs", 1), /no step "s9"; its steps are s0/);
  assert.match(refusedFor("phase.p.limitMs", 1), /no phase "p"; its phases are none/);
  assert.match(refusedFor("triage.agent", "ghost"), /no such agent; its agents are dev/);
  assert.match(refusedFor("attempts.perStep", 5), /attempts\.perStep is 5/);
  assert.equal(state.settings.attempts.perStep, 5);
});
