import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { NOW, PlayedSession } from "./played-session.ts";

const DAY = 86_400_000;
const ghost = (text: string, fingerprint = text) => ({ fingerprint, text, attempts: 1 });
const types = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);
const spent = (usd: number) => ({ usd, tokens: 0, turns: 0, timeMs: 0 });
const DAY_OF_NOW = "2026-11-17";

test("G14 goals go by priority, then in the order in which they were read, and one id counts once", () => {
  const session = new PlayedSession([
    { id: "a" },
    { id: "b", priority: 1 },
    { id: "a", goal: "again" },
    { id: "c" },
  ]);
  session.done("s.b.1");
  session.done("s.a.1");
  session.done("s.c.1");
  assert.deepEqual(session.issued, ["s.b.1", "s.a.1", "s.c.1"]);
  assert.equal(session.state.end?.kind, "completed");
});

test("G14 so many goals are at work at once as the session says, and each gets its part of the budget", () => {
  const session = new PlayedSession([{ id: "a" }, { id: "b" }, { id: "c" }], {
    concurrency: 2,
    budget: { usd: 10 },
  });
  const allowances = session.events.flatMap((event) =>
    event.type === "GoalIssued" ? [event.data.allowance.usd] : [],
  );
  assert.deepEqual(allowances, [5, 5]);
  session.done("s.a.1", { spent: spent(1) });
  assert.deepEqual(session.issued, ["s.a.1", "s.b.1", "s.c.1"]);
  assert.equal(session.state.goals["c"]?.runs[0]?.allowance.usd, 4);
});

test("G14 a run that has spent its part is given more while there is more, and otherwise the session ends by name", () => {
  const session = new PlayedSession([{ id: "a" }, { id: "b" }, { id: "c" }], {
    concurrency: 2,
    budget: { usd: 10 },
  });
  session.run("s.a.1", { status: "running", spent: spent(1) });
  session.run("s.b.1", { spent: spent(5) });
  session.blocked("s.b.1", "budget_exhausted");
  assert.equal(session.state.pause, null, "it lacks a part of the session's budget, and no person");
  session.done("s.a.1", { spent: spent(1) });
  assert.equal(session.state.goals["b"]?.runs[0]?.allowance.usd, 7);
  session.done("s.c.1", { spent: spent(0) });
  session.run("s.b.1", { status: "running", waits: null, spent: spent(7.1) });
  session.blocked("s.b.1", "budget_exhausted");
  assert.equal(session.state.goals["b"].runs[0]?.allowance.usd, 9, "nobody else wants what is left");
  session.run("s.b.1", { status: "running", waits: null, spent: spent(9.1) });
  session.blocked("s.b.1", "budget_exhausted");
  assert.equal(session.state.end?.kind, "session_budget_exhausted");
  assert.deepEqual(session.state.end.left, ["b"]);
});

test("G14 a goal's own budget that is spent blocks the session like any other block", () => {
  const session = new PlayedSession([{ id: "a", budget: { usd: 1 } }], { budget: { usd: 10 } });
  session.run("s.a.1", { spent: spent(1) });
  session.blocked("s.a.1", "budget_exhausted");
  assert.deepEqual([session.state.pause?.why, session.state.pause?.run], ["blocked", "s.a.1"]);
});

test("G14 a budget of the day makes the session wait for the next day, and a budget of runs ends it", () => {
  const session = new PlayedSession([{ id: "a" }, { id: "b" }, { id: "c" }], {
    budget: { runs: 2, day: { usd: 1 } },
  });
  session.done("s.a.1", { spent: spent(1), days: [{ day: DAY_OF_NOW, usd: 1, tokens: 0 }] });
  assert.deepEqual([session.issued.length, session.state.end], [1, null]);
  session.turn(DAY);
  assert.deepEqual(session.issued, ["s.a.1", "s.b.1"]);
  session.done("s.b.1");
  assert.deepEqual([session.state.end?.kind, session.state.end?.left], ["session_budget_exhausted", ["c"]]);
});

test("G14 a start that shows nothing is issued again with a growing delay, three times at most", () => {
  const session = new PlayedSession([{ id: "a" }], { ghosts: { retries: 3, baseMs: 100, maxMs: 10_000 } });
  for (const [at, waitMs] of [100, 200, 400].entries()) {
    const run = `s.a.${String(at + 1)}`;
    assert.deepEqual(types(session.run(run, { status: "failed", ghost: ghost(`cause ${run}`) })), [
      "GoalSeen",
      "GoalReturned",
    ]);
    assert.deepEqual(session.turn(waitMs - 1), []);
    assert.deepEqual(types(session.turn(1)), ["GoalIssued"]);
  }
  session.run("s.a.4", { status: "failed", ghost: ghost("yet another") });
  assert.deepEqual(session.ends, ["a ghost_retry_exhausted"]);
  assert.match(
    session.state.goals["a"]?.end?.text ?? "",
    /issued again 3 times: try 1 .*cause s\.a\.1; .*try 4 .*yet another/,
  );
  assert.equal(session.state.end?.kind, "goal_failed");
});

test("G14 the same failure twice ends a ghost early, with the evidence of each try; a run that is not over is cancelled", () => {
  const session = new PlayedSession([{ id: "a" }, { id: "b" }], {
    onFailed: "skip",
    ghosts: { retries: 3, baseMs: 1, maxMs: 1 },
  });
  session.run("s.a.1", {
    status: "blocked",
    ghost: ghost("exit 3"),
    waits: { reason: "retries_exhausted", detail: "", command: [] },
  });
  assert.deepEqual(session.state.goals["a"]?.runs[0]?.asked?.what, "cancel");
  assert.equal(session.state.pause, null, "nobody is asked for a start that is made again");
  session.turn();
  session.done("s.b.1");
  session.turn();
  session.run("s.a.2", { status: "failed", ghost: ghost("exit 3") });
  assert.match(
    session.state.goals["a"]?.end?.text ?? "",
    /failed twice in the same way: try 1 \(1 attempts\): exit 3; try 2/,
  );
  session.turn();
  assert.equal(session.state.end?.kind, "completed");
});

test("G14 a blocked run pauses the session until it is not blocked any more; the next one that blocks takes its place", () => {
  const session = new PlayedSession([{ id: "a" }, { id: "b" }, { id: "c" }], { concurrency: 2 });
  session.blocked("s.a.1");
  session.blocked("s.b.1");
  assert.deepEqual([session.state.pause?.run, session.issued.length], ["s.a.1", 2]);
  assert.match(text(session.ask({ kind: "resume" })), /^still blocked by s\.a\.1; nothing has changed$/);
  assert.match(
    text(session.ask({ kind: "begin", spec: specOf(session) })),
    /^still blocked by s\.a\.1; nothing has changed$/,
  );
  session.run("s.a.1", { status: "running", waits: null });
  assert.equal(session.state.pause?.run, "s.b.1");
  session.run("s.b.1", { status: "running", waits: null });
  assert.equal(session.state.pause, null);
  session.done("s.a.1");
  assert.deepEqual(session.issued.length, 3);
});

test("G14 with onBlocked continue other goals go on, and the session waits for the blocked one at its end", () => {
  const session = new PlayedSession([{ id: "a" }, { id: "b" }], { onBlocked: "continue" });
  session.blocked("s.a.1");
  session.done("s.b.1");
  session.turn();
  assert.deepEqual([session.state.end, session.ends], [null, ["a issued", "b done"]]);
  session.done("s.a.1");
  session.turn();
  assert.equal(session.state.end?.kind, "completed");
});

test("G14 a failed goal ends the session once nothing is at work, or is passed over by policy", () => {
  const stops = new PlayedSession([{ id: "a" }, { id: "b" }, { id: "c" }], { concurrency: 2 });
  stops.run("s.a.1", { status: "failed", failure: "no" });
  assert.deepEqual([stops.state.end, stops.issued.length], [null, 2]);
  stops.done("s.b.1");
  assert.deepEqual(
    [stops.state.end?.kind, stops.state.end?.text, stops.state.end?.left],
    ["goal_failed", "goal a: no", ["c"]],
  );
  const skips = new PlayedSession([{ id: "a" }, { id: "b" }], { onFailed: "skip" });
  skips.run("s.a.1", { status: "failed", failure: "no" });
  skips.done("s.b.1");
  skips.turn();
  assert.deepEqual([skips.state.end?.kind, skips.ends], ["completed", ["a failed", "b done"]]);
});

test("G14 a run that could not be created ends its goal by name", () => {
  const session = new PlayedSession([{ id: "a" }]);
  session.refused.set("s.a.1", 'there is no agent "x"');
  session.turn();
  assert.deepEqual(session.ends, ["a not_started"]);
});

test("G14 a stop starts nothing and pauses what is at work, once; resume lets it go on", () => {
  const session = new PlayedSession([{ id: "a" }, { id: "b" }], {
    concurrency: 1,
    idle: { policy: "poll", everyMs: 1, maxMs: 1 },
  });
  session.run("s.a.1", { status: "running" });
  session.ask({ kind: "stop" });
  assert.deepEqual(types(session.turn()), ["RunsAsked"]);
  session.run("s.a.1", { status: "paused", waits: { reason: "paused", detail: "", command: [] } });
  session.goals = [...session.goals, ...new PlayedSession([{ id: "later" }]).goals];
  assert.deepEqual(session.turn(DAY), []);
  assert.match(
    text(session.ask({ kind: "begin", spec: specOf(session) })),
    /stopped by ada; nothing has changed/,
  );
  session.ask({ kind: "resume" });
  const resumed = session.turn();
  assert.deepEqual(resumed[0], { type: "RunsAsked", data: { what: "resume", runs: ["s.a.1"] } });
  assert.deepEqual([session.state.pause, session.issued.length], [null, 1]);
  session.run("s.a.1", { status: "running", waits: null });
  session.done("s.a.1");
  assert.deepEqual(session.issued, ["s.a.1", "s.b.1"]);
});

test("G14 a person pauses a session: runs at work go on, no other goal starts, and a goal that is skipped is cancelled", () => {
  const session = new PlayedSession([{ id: "a" }, { id: "b" }, { id: "c" }]);
  session.ask({ kind: "pause" });
  session.done("s.a.1");
  assert.deepEqual(session.issued.length, 1);
  session.ask({ kind: "skip", goal: "b" });
  assert.equal(session.ask({ kind: "skip", goal: "nobody" }).kind, "refused");
  session.ask({ kind: "resume" });
  session.turn();
  assert.deepEqual(session.issued, ["s.a.1", "s.c.1"]);
  session.ask({ kind: "skip", goal: "c" });
  assert.equal(session.state.goals["c"]?.runs[0]?.asked?.what, "cancel");
  session.turn();
  assert.deepEqual(
    [session.state.end?.kind, session.ends],
    ["completed", ["a done", "b skipped", "c skipped"]],
  );
});

test("G14 an idle session looks at its intake less and less often, and ends after the rounds it was given", () => {
  const session = new PlayedSession([], { idle: { policy: "poll", everyMs: 100, maxMs: 250, rounds: 3 } });
  const reads: number[] = [];
  for (let ms = 0; session.state.end === null && ms < 2_000; ms += 1)
    if (session.turn().some(({ type }) => type === "IntakeRead")) reads.push(session.now - NOW);
  assert.deepEqual([reads[0], session.state.end?.kind], [201, "idle"]);
  assert.equal(session.state.intake.idleRounds, 3);
});

test("G14 goals that are added while a session works are taken in; with policy end it looks once more before it ends", () => {
  const session = new PlayedSession([{ id: "a" }]);
  session.goals = [...session.goals, ...new PlayedSession([{ id: "b" }]).goals];
  session.done("s.a.1");
  assert.deepEqual(session.issued, ["s.a.1", "s.b.1"]);
  session.done("s.b.1");
  assert.equal(session.state.end?.kind, "completed");
});

const text = (answer: ReturnType<PlayedSession["ask"]>): string => answer.text;

function specOf({ state: { spec } }: PlayedSession) {
  assert.ok(spec !== null);
  return spec;
}
