import assert from "node:assert/strict";
import { test } from "node:test";
import type { EffectOutcome, TriageReport } from "../../../src/model/effects/effect-outcome.ts";
import { Circling, only } from "../circling.ts";

const MINUTE = 60_000;
const SETTINGS = { triage: { agent: "judge" } };
const JUDGE = { judge: { use: "claude" } } as const;

const report = (verdict: TriageReport["verdict"], why = "seen"): EffectOutcome => ({
  kind: "done",
  triage: { verdict, why, usd: 0.02, tokens: 100 },
});

/** An agent that falls silent: only time speaks against it. */
function silent(answer: EffectOutcome | null, settings: object = {}): Circling {
  const run = new Circling({ use: "acp" }, { ...SETTINGS, ...settings }, JUDGE);
  run.answers = { AskTriage: answer };
  run.loops = false;
  run.work(20_000);
  run.silent = true;
  return run;
}

const asked = (run: Circling): number =>
  only(run.events, "EffectIntended").filter(({ effect }) => effect.kind === "AskTriage").length;
const nthRemedy = (run: Circling, remedy: string): boolean =>
  run.remedies.some((one) => one.startsWith(`${remedy}.`));

test("L6 an agent is asked once for each trouble, where the evidence is weak, and what it cost is the run's", () => {
  const run = silent(report("none", "no answer"));
  run.work(60 * MINUTE);
  assert.equal(asked(run), 1);
  assert.equal(run.state.spent.usd, 0.02);
  const [assessed] = only(run.events, "TriageJudged");
  assert.deepEqual([assessed?.verdict, assessed?.counts], ["none", false]);
  assert.equal(run.state.blocked?.reason, "stuck");
});

test("L6 nobody is asked where the evidence is sure, or where no agent is named", () => {
  const sure = new Circling({ use: "acp" }, SETTINGS, JUDGE);
  sure.work(40 * MINUTE);
  assert.equal(asked(sure), 0);
  const none = silent(report("continue"), { triage: {} });
  none.work(40 * MINUTE);
  assert.equal(asked(none), 0);
});

test("L6 an agent of which it is said that it works is given time, and no more than that", () => {
  const run = silent(report("continue"), { ladder: { nudges: 0 } });
  while (asked(run) === 0) run.work(run.now + 1_000);
  const from = run.now;
  run.work(from + 9 * MINUTE);
  assert.deepEqual(run.remedies, ["warn.1"]);
  run.work(from + 12 * MINUTE);
  assert.ok(nthRemedy(run, "restart") || nthRemedy(run, "strategy"), run.remedies.join(", "));
});

test("L6 evidence that is sure outranks what was said: a loop is not given time", () => {
  const run = silent(report("continue"));
  while (asked(run) === 0) run.work(run.now + 1_000);
  const from = run.now;
  run.silent = false;
  run.loops = true;
  run.work(from + 3 * MINUTE);
  assert.ok(nthRemedy(run, "nudge"), run.remedies.join(", "));
});

test("L6 where a restart is advised, words are passed over, and that is written down", () => {
  const run = silent(report("restart"));
  while (asked(run) === 0) run.work(run.now + 1_000);
  run.work(run.now + 2 * MINUTE);
  assert.deepEqual(run.remedies.slice(0, 2), ["warn.1", "restart.1"]);
  const passed = only(run.events, "RemedyJudged").filter(({ outcome }) => outcome === "not_applicable");
  assert.deepEqual(
    passed.slice(0, 2).map(({ remedy }) => remedy),
    ["nudge", "strategy"],
  );
  assert.match(passed[0]?.why ?? "", /triage/);
});

test("L6 where somebody is to look at it, an operator is asked; nothing is ended on an agent's word", () => {
  const run = silent(report("stop"));
  while (run.state.status === "running") run.work(run.now + 1_000);
  assert.deepEqual(run.remedies, ["warn.1", "operator.1"]);
  assert.equal(only(run.events, "AttemptEnding").length, 0);
  assert.equal(run.state.blocked?.attemptKept, true);
});

test("L6 an answer that comes when the trouble is over changes nothing and is written down", () => {
  const run = silent(null);
  while (asked(run) === 0) run.work(run.now + 1_000);
  run.silent = false;
  run.work(run.now + 2 * MINUTE);
  const before = run.remedies;
  const key = Object.keys(run.state.effects).find((one) => one.includes("AskTriage")) ?? "";
  run.turn([{ type: "EffectSettled", data: { key, outcome: report("stop") } }]);
  const [assessed] = only(run.events, "TriageJudged");
  assert.deepEqual([assessed?.verdict, assessed?.counts], ["stop", false]);
  assert.match(assessed?.why ?? "", /does not count/);
  run.work(run.now + 5 * MINUTE);
  assert.deepEqual(run.remedies, before);
});

test("L6 an answer that never comes holds a restart back for a while only", () => {
  const run = silent(null, { ladder: { nudges: 0, strategyMs: 1_000, restartMs: 1_000 } });
  while (asked(run) === 0) run.work(run.now + 1_000);
  const from = run.now;
  run.work(from + 2 * MINUTE);
  assert.equal(nthRemedy(run, "restart"), false);
  run.work(from + 4 * MINUTE);
  assert.equal(nthRemedy(run, "restart"), true);
});

test("L6 a run that is cancelled asks nobody: the question is dropped and a session that began for it is ended", () => {
  const run = silent(null);
  while (asked(run) === 0) run.work(run.now + 1_000);
  run.turn([{ type: "RequestHeard", data: { requestId: "req_1", request: { kind: "cancel" }, by: "test" } }]);
  run.work(run.now + MINUTE);
  assert.equal(run.state.status, "cancelled");
  const kindsLeft = Object.values(run.state.effects).map(({ kind }) => kind);
  assert.ok(!kindsLeft.includes("AskTriage"), kindsLeft.join(", "));
  const ends = only(run.events, "EffectIntended").flatMap(({ effect }) =>
    effect.kind === "EndAgent" ? [effect.session] : [],
  );
  assert.ok(
    ends.some((session) => session.includes("triage")),
    ends.join(", "),
  );
});
