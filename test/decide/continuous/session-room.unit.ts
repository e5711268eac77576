import assert from "node:assert/strict";
import { test } from "node:test";
import { PlayedSession } from "./played-session.ts";

const DAY = 86_400_000;
const spent = (more: object) => ({ usd: 0, tokens: 0, turns: 0, timeMs: 0, ...more });
const endOf = ({ state }: PlayedSession) => state.end;
const goals = [{ id: "a" }, { id: "b" }, { id: "c" }];

test("G9 G14 tokens are divided among the goals at work, and a session that has spent them ends by name", () => {
  const session = new PlayedSession(goals, { concurrency: 2, budget: { tokens: 101 } });
  const allowed = Object.values(session.state.goals).map(({ runs }) => runs[0]?.allowance.tokens);
  assert.deepEqual(allowed, [50, 51, undefined], "whole tokens, and no more than there are");
  session.done("s.a.1", { spent: spent({ tokens: 50 }) });
  assert.deepEqual(session.issued, ["s.a.1", "s.b.1"], "all that is left is promised to b");
  session.done("s.b.1", { spent: spent({ tokens: 55 }) });
  assert.equal(session.state.end?.kind, "session_budget_exhausted");
  assert.equal(session.state.end.text, "budget exceeded: 105 of 101 tokens");
  assert.deepEqual(session.state.end.left, ["c"]);
});

test("G9 G14 time at work counts, not the time that a run waits for a person", () => {
  const session = new PlayedSession(goals, { onBlocked: "continue", budget: { timeMs: 60_000 } });
  session.run("s.a.1", { spent: spent({ timeMs: 10_000 }) });
  session.blocked("s.a.1");
  session.turn(DAY);
  assert.equal(endOf(session), null, "a day of waiting is no time at work");
  session.done("s.a.1", { spent: spent({ timeMs: 20_000 }) });
  session.done("s.b.1", { spent: spent({ timeMs: 45_000 }) });
  assert.equal(endOf(session)?.kind, "session_budget_exhausted");
  assert.equal(endOf(session)?.text, "budget exceeded: 65 s of 60 s at work");
});

test("G9 G14 tokens and time of a day make the session wait for the next day", () => {
  for (const [kind, used] of [
    ["tokens", { spent: spent({ tokens: 10 }), days: [{ day: "2026-11-17", usd: 0, tokens: 10 }] }],
    ["timeMs", { spent: spent({ timeMs: 10 }) }],
  ] as const) {
    const session = new PlayedSession(goals, { budget: { day: { [kind]: 10 } } });
    session.done("s.a.1", used);
    assert.deepEqual([session.issued.length, session.state.end], [1, null], kind);
    session.turn(DAY);
    assert.deepEqual(session.issued, ["s.a.1", "s.b.1"], kind);
  }
});

test("G9 G14 a goal's own budget is the most that its run may spend, whatever the session has left", () => {
  const session = new PlayedSession([{ id: "a", budget: { tokens: 5, timeMs: 900 } }], {
    budget: { tokens: 100, usd: 2 },
  });
  assert.deepEqual(session.state.goals["a"]?.runs[0]?.allowance, { usd: 2, tokens: 5, timeMs: 900 });
});
