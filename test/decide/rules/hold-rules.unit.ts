import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../../../src/decide/decide.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { given, IN_STATE } from "../states.ts";

const claimed = (...missing: string[]): RunEvent => ({
  type: "RunClaimed",
  data: { owner: "own_1", epoch: 1, from: "nobody", host: "alpha", missing },
});

test("G2 a run whose folder or agent is missing at its claim is blocked by name before anything is started, uncharged", () => {
  for (const state of [
    given(claimed("the folder /gone does not exist on alpha")),
    given(...IN_STATE.running, claimed("x")),
  ]) {
    const [event] = decide(state, state.at);
    assert.ok(event?.type === "RunBlocked", JSON.stringify(event));
    assert.equal(event.data.blocked.reason, "dispatch_error");
    assert.equal(event.data.blocked.detail, `nothing was started: ${state.claim.missing.join("; ")}`);
    assert.equal(state.steps["work"]?.started, 0);
  }
});

test("G2 the next claim looks again, and a person who lets the run go on is believed", () => {
  const blocked = given(
    ...IN_STATE.running,
    claimed("x"),
    ...decide(given(...IN_STATE.running, claimed("x")), 9_000),
  );
  assert.equal(blocked.status, "blocked");
  const unblocked: RunEvent = { type: "RunUnblocked", data: {} };
  assert.deepEqual(given(...IN_STATE.running, claimed("x"), unblocked).claim.missing, []);
  assert.deepEqual(given(...IN_STATE.running, claimed("x"), claimed()).claim.missing, []);
});
