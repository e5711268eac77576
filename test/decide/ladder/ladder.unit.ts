import assert from "node:assert/strict";
import { test } from "node:test";
import { LADDER, nextRemedy, nudgeText, strategyText } from "../../../src/decide/ladder/ladder.ts";
import { PATTERNS } from "../../../src/model/agent/health.ts";
import { REMEDIES, type LadderState } from "../../../src/model/agent/ladder.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { Circling, only } from "../circling.ts";

const settings = runSettingsSchema.parse({});
const MINUTE = 60_000;

test("R1 the ladder has every remedy once, lightest first", () => {
  assert.deepEqual(
    LADDER.map(({ remedy }) => remedy),
    REMEDIES,
  );
});

test("R1 without progress every rung comes in its order, as often as its budget says, at its time, and then it ends", () => {
  let ladder: LadderState | null = null;
  const used: Record<string, number> = {};
  const climbed: string[] = [];
  let now = 1_000;
  for (
    let next = nextRemedy(null, used, settings, now);
    next !== null;
    next = nextRemedy(ladder, used, settings, now)
  ) {
    assert.ok(climbed.length < 50, "the ladder has no end");
    climbed.push(
      `${next.remedy}.${String(next.tryNumber)} +${String((next.dueAt - (ladder?.takenAt ?? 1_000)) / 1_000)}`,
    );
    used[next.remedy] = (used[next.remedy] ?? 0) + 1;
    now = next.dueAt;
    ladder = {
      pattern: "tool_loop",
      openedAt: 1_000,
      remedy: next.remedy,
      tryNumber: next.tryNumber,
      takenAt: now,
      effectAt: now,
      bySession: false,
      meanwhile: null,
      outcome: "no_help",
      taken: next,
      triage: null,
      decidedAt: now,
    };
  }
  assert.deepEqual(climbed, [
    "warn.1 +0",
    "nudge.1 +30",
    "nudge.2 +60",
    "nudge.3 +120",
    "strategy.1 +60",
    "restart.1 +30",
    "restart.2 +60",
    "restore.1 +60",
    "helper.1 +0",
    "other_agent.1 +0",
    "operator.1 +0",
    "external.1 +300",
  ]);
});

test("R1 a remedy that cannot be done is left for the next rung, and never tried again", () => {
  const at = (remedy: LadderState["remedy"]): LadderState => ({
    pattern: "tool_loop",
    openedAt: 0,
    remedy,
    tryNumber: 1,
    takenAt: 0,
    effectAt: 0,
    bySession: false,
    meanwhile: null,
    outcome: "not_applicable",
    taken: { remedy: "warn", tryNumber: 1 },
    triage: null,
    decidedAt: 0,
  });
  for (const [index, remedy] of REMEDIES.entries())
    assert.equal(nextRemedy(at(remedy), {}, settings, 0)?.remedy, REMEDIES[index + 1]);
});

test("R3 what an agent receives differs by what is wrong and by the try", () => {
  const texts = PATTERNS.flatMap((pattern) => [1, 2, 3].map((nth) => nudgeText(pattern, nth, ["seen"])));
  assert.equal(new Set(texts).size, PATTERNS.length * 3);
  assert.ok(PATTERNS.every((pattern) => strategyText(pattern).length > 40));
});

test("R1 R2 an agent that cannot be helped is warned, nudged, led another way, restarted twice, and then an operator is asked", () => {
  const run = new Circling({ use: "acp" });
  run.work(40 * MINUTE);
  assert.deepEqual(run.remedies, [
    "warn.1",
    "nudge.1",
    "nudge.2",
    "nudge.3",
    "strategy.1",
    "restart.1",
    "restart.2",
    "operator.1",
  ]);
  assert.deepEqual(
    [run.state.status, run.state.blocked?.reason, run.state.blocked?.attemptKept],
    ["blocked", "stuck", true],
  );
  const reported = only(run.events, "EffectIntended").flatMap(({ effect }) =>
    effect.kind === "TellAgent" ? [effect.text] : [],
  );
  assert.equal(new Set(reported).size, 4);
  assert.deepEqual(
    only(run.events, "RemedyJudged")
      .filter(({ outcome }) => outcome === "not_applicable")
      .map(({ remedy }) => remedy),
    ["restore", "helper", "other_agent"],
  );
  assert.equal(only(run.events, "AttemptStarted").length, 3);
  assert.ok(only(run.events, "AttemptEnded").every(({ charged }) => !charged));
  const starts = only(run.events, "EffectIntended").flatMap(({ effect }) =>
    effect.kind === "StartAgent" ? [effect.task] : [],
  );
  assert.match(starts[1] ?? "", /stuck: you made the same calls again and again/);
});

test("R1 an agent that cannot receive messages gets none, and that is written down", () => {
  const run = new Circling({ use: "demo" });
  run.work(10 * MINUTE);
  assert.deepEqual(run.remedies.slice(0, 2), ["warn.1", "restart.1"]);
  const [nudge, strategy] = only(run.events, "RemedyJudged").filter(
    ({ outcome }) => outcome === "not_applicable",
  );
  assert.deepEqual([nudge?.remedy, strategy?.remedy], ["nudge", "strategy"]);
  assert.match(nudge?.why ?? "", /does not accept messages while it works/);
});

test("R2 a remedy that helped is recorded, and trouble that comes back later begins again below, with its restarts counted", () => {
  const run = new Circling({ use: "acp" });
  run.work(MINUTE);
  assert.deepEqual(run.remedies, ["warn.1", "nudge.1"]);
  run.loops = false;
  run.work(15 * MINUTE);
  assert.equal(only(run.events, "RemedyJudged").at(-1)?.outcome, "helped");
  run.loops = true;
  run.work(60 * MINUTE);
  assert.deepEqual(run.remedies.slice(2, 5), ["warn.1", "nudge.1", "nudge.2"]);
  assert.equal(run.remedies.filter((one) => one.startsWith("restart")).length, 2);
});

test("R2 trouble that comes back soon goes on where the remedies stopped: help that does not last is no help", () => {
  const run = new Circling({ use: "acp" });
  for (let round = 0; round < 20 && run.state.status === "running"; round += 1) {
    run.loops = true;
    run.untilRemedy();
    // One new thing after each remedy, and then the same again.
    run.loops = false;
    run.work(run.now + 6_000);
  }
  assert.deepEqual(run.remedies, [
    "warn.1",
    "nudge.1",
    "nudge.2",
    "nudge.3",
    "strategy.1",
    "restart.1",
    "restart.2",
    "operator.1",
  ]);
  const outcomes = only(run.events, "RemedyJudged").filter(({ outcome }) => outcome !== "not_applicable");
  assert.ok(outcomes.some(({ outcome }) => outcome === "helped"));
  assert.ok(outcomes.some(({ why }) => why.startsWith("the trouble came back")));
});

test("R1 words alone do not lead down the ladder: only progress does", () => {
  const run = new Circling({ use: "acp" });
  run.work(MINUTE);
  const [attempt] = Object.keys(run.state.attempts);
  run.receive(attempt ?? "", [
    { kind: "message", from: "agent", text: "You are right, I will do better now." },
  ]);
  assert.notEqual(run.state.steps["work"]?.ladder, null);
});

test("R1 the rung survives a change of the supervisor, and nothing is done twice for it", () => {
  const run = new Circling({ use: "acp" });
  run.work(2 * MINUTE);
  const before = run.remedies;
  run.state.effects = {};
  run.turn([{ type: "RunClaimed", data: { owner: "own_2", epoch: 2, from: "gone" } }]);
  run.turn([
    {
      type: "SessionObserved",
      data: { attempt: Object.keys(run.state.attempts)[0] ?? "", finding: "alive", detail: "" },
    },
  ]);
  assert.deepEqual(run.remedies, before);
  run.work(40 * MINUTE);
  assert.equal(run.remedies.filter((one) => one === "warn.1").length, 1);
  assert.equal(run.state.blocked?.reason, "stuck");
});

test("R1 a person who settles it lets the remedies begin again", () => {
  const run = new Circling({ use: "acp" });
  run.work(40 * MINUTE);
  run.turn([{ type: "RunUnblocked", data: {} }]);
  assert.deepEqual(
    [run.state.status, run.state.steps["work"]?.ladder, run.state.steps["work"]?.remedies],
    ["running", null, {}],
  );
});

test("R1 status shows how far up it is, what comes next and when", () => {
  const run = new Circling({ use: "acp" });
  run.work(100_000);
  const { health } = statusView(run.state, null);
  assert.match(health.evidence.join("\n"), /remedies: a nudge \(1\).*next: a nudge, not before 1970-/);
});

test("R1 O1 status shows the rung, what became of it, and what is tried next and when, for programs too", () => {
  const run = new Circling({ use: "acp", command: ["x"] });
  run.untilRemedy();
  run.untilRemedy();
  const [remedy] = statusView(run.state, null).health.remedies ?? [];
  assert.deepEqual(
    [remedy?.step, remedy?.pattern, remedy?.remedy, remedy?.tryNumber, remedy?.outcome, remedy?.next?.remedy],
    ["work", "tool_loop", "nudge", 1, null, "nudge"],
  );
  assert.equal(Date.parse(remedy?.next?.notBefore ?? "") - run.now, MINUTE);
  run.loops = false;
  run.work(run.now + MINUTE);
  const [after] = statusView(run.state, null).health.remedies ?? [];
  assert.deepEqual([after?.outcome, after?.next], ["helped", null]);
});

test("R3 L2 what a provider refuses for good is not tried again by the same agent: an operator is asked at once", () => {
  const run = new Circling({ use: "claude" });
  run.silent = true;
  const refusal = { kind: "error", text: "authentication_error (401), tried again", status: 401 };
  for (let times = 0; times < 5; times += 1) run.receive("work#1", [{ ...refusal, terminal: false }]);
  run.work(run.now + 10 * MINUTE);
  assert.deepEqual(
    only(run.events, "RemedyTaken").map(({ remedy }) => remedy),
    ["warn", "operator"],
  );
  const why = only(run.events, "RemedyJudged").find(({ remedy }) => remedy === "restart")?.why ?? "";
  assert.match(why, /refuses it.*401/);
  assert.equal(run.state.blocked?.reason, "stuck");
});

test("R1 words that cannot be said to an agent do not hold up its restart", () => {
  const run = new Circling({ use: "demo" });
  run.untilRemedy();
  const takenAt = (): number => run.state.steps["work"]?.ladder?.takenAt ?? NaN;
  const warnedAt = takenAt();
  run.untilRemedy();
  assert.equal(only(run.events, "RemedyTaken").at(-1)?.remedy, "restart");
  assert.ok(takenAt() - warnedAt >= settings.ladder.restartMs, "not before its own delay");
  assert.ok(takenAt() - warnedAt < settings.ladder.strategyMs, "and not only after those of words");
});
