import assert from "node:assert/strict";
import { test } from "node:test";
import type { Effect } from "../../../src/model/effects/effects.ts";
import type { RunRequest } from "../../../src/model/requests/requests.ts";
import { Circling, only } from "../circling.ts";

const MINUTE = 60_000;
type Start = Extract<Effect, { kind: "StartAgent" }>;

const startsOf = (run: Circling): Start[] =>
  only(run.events, "EffectIntended").flatMap(({ effect }) => (effect.kind === "StartAgent" ? [effect] : []));
const until = (run: Circling, remedy: string): void => {
  for (let round = 0; round < 50 && !run.remedies.includes(remedy); round += 1) run.untilRemedy();
};

for (const use of ["claude", "codex"] as const)
  test(`R1 R2 a stuck ${use} is nudged by ending its turn and continuing its conversation with the message, at no charge`, () => {
    const run = new Circling({ use });
    until(run, "nudge.1");
    run.work(run.now + 10_000);
    const [first, second] = startsOf(run);
    assert.deepEqual([first?.resume, second?.resume], [undefined, "talk"]);
    assert.match(
      second?.task ?? "",
      /^It looks as if you are stuck: you made the same calls .* until it is done\.$/,
    );
    const [ended] = only(run.events, "AttemptEnded");
    assert.deepEqual([ended?.outcome, ended?.charged], ["interrupted", false]);
    run.loops = false;
    run.work(run.now + MINUTE);
    const assessed = only(run.events, "RemedyJudged").at(-1);
    assert.deepEqual([assessed?.remedy, assessed?.outcome], ["nudge", "helped"]);
  });

test("R1 R2 a headless agent that nothing helps has one nudge, another way, its restarts, and what is not possible is said once", () => {
  const run = new Circling({ use: "claude" });
  run.work(60 * MINUTE);
  assert.deepEqual(run.remedies, ["warn.1", "nudge.1", "strategy.1", "restart.1", "restart.2", "operator.1"]);
  const passed = only(run.events, "RemedyJudged").filter(({ outcome }) => outcome === "not_applicable");
  assert.deepEqual(
    passed.map(({ remedy, tryNumber }) => `${remedy}.${String(tryNumber)}`),
    ["nudge.2", "restore.1", "helper.1", "other_agent.1"],
  );
  assert.match(passed[0]?.why ?? "", /ladder\.interrupts/);
  const [, nudged, led, restarted] = startsOf(run);
  assert.match(nudged?.task ?? "", /^It looks as if you are stuck/);
  assert.match(led?.task ?? "", /^Your way does not work/);
  assert.match(restarted?.task ?? "", /^You were interrupted\. Go on with your task/);
  assert.equal(run.state.steps["work"]?.charged, 0);
});

test("R1 agents whose conversation does not continue after a broken turn are not interrupted, which is said once", () => {
  for (const use of ["opencode", "gemini"] as const) {
    const run = new Circling({ use });
    run.work(60 * MINUTE);
    assert.deepEqual(run.remedies, ["warn.1", "restart.1", "restart.2", "operator.1"]);
    const nudges = only(run.events, "RemedyJudged").filter(({ remedy }) => remedy === "nudge");
    assert.deepEqual([nudges.length, nudges[0]?.outcome], [1, "not_applicable"]);
  }
});

test("R3 a headless agent whose model does not answer, or whose context is full, is not interrupted for a message", () => {
  const full = new Circling({ use: "claude" });
  full.full = true;
  full.loops = false;
  full.work(30 * MINUTE);
  assert.deepEqual(full.remedies.slice(0, 2), ["warn.1", "restart.1"]);
  const why = (run: Circling): string =>
    only(run.events, "RemedyJudged").find(({ remedy }) => remedy === "strategy")?.why ?? "";
  assert.match(why(full), /cannot condense/);
});

const ask = (run: Circling, request: RunRequest): string => {
  run.turn([{ type: "RequestHeard", data: { requestId: "r1", request, by: "ada" } }]);
  return only(run.events, "RequestAnswered").at(-1)?.answer.text ?? "";
};

test("O4 a person's message to a headless agent at work is kept, and with --now its conversation continues with it at no charge", () => {
  const kept = new Circling({ use: "codex" });
  kept.loops = false;
  kept.work(20_000);
  assert.match(
    ask(kept, { kind: "tell", text: "use the parser" }),
    /kept for the next attempt.*--now ends its turn/,
  );
  assert.equal(startsOf(kept).length, 1);

  const now = new Circling({ use: "codex" });
  now.loops = false;
  now.work(20_000);
  assert.match(
    ask(now, { kind: "tell", text: "use the parser", now: true }),
    /conversation continues with your message/,
  );
  now.work(now.now + 10_000);
  const [, second] = startsOf(now);
  assert.equal(second?.resume, "talk");
  assert.match(second.task, /use the parser/);
  assert.equal(now.state.steps["work"]?.charged, 0);
});

test("O4 tell --now to an agent whose conversation cannot be continued is refused, and nothing is ended", () => {
  const run = new Circling({ use: "demo" });
  run.work(10_000);
  assert.match(ask(run, { kind: "tell", text: "hurry", now: true }), /refused.*no conversation/);
  assert.deepEqual(only(run.events, "AttemptEnding"), []);
});
