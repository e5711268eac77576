import assert from "node:assert/strict";
import { test } from "node:test";
import { PlayedSession } from "./played-session.ts";

const spent = (usd: number) => ({ spent: { usd, tokens: 0, turns: 1, timeMs: 1 } });

test("G14 what the run of a skipped goal spends until it is cancelled counts, and its part is kept for it until then", () => {
  const session = new PlayedSession([{ id: "a" }, { id: "b" }, { id: "c" }], { budget: { usd: 10 } });
  session.run("s.a.1", spent(1));
  session.ask({ kind: "skip", goal: "a" });
  session.turn();
  assert.deepEqual(session.issued, ["s.a.1"], "everything that is left is promised to it");
  session.run("s.a.1", { status: "cancelled", ...spent(4) });
  assert.deepEqual(session.issued, ["s.a.1", "s.b.1"]);
  assert.equal(session.state.goals["b"]?.runs[0]?.allowance.usd, 6);
});

test("G14 a goal that is skipped before its run was made keeps nothing of the budget", () => {
  const session = new PlayedSession([{ id: "a" }, { id: "b" }], { budget: { usd: 10 } });
  session.ask({ kind: "skip", goal: "a" });
  session.turn();
  assert.equal(session.state.goals["b"]?.runs[0]?.allowance.usd, 10);
});
