import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { Circling, only } from "../circling.ts";

const MINUTE = 60_000;
const KEPT = { checkpoints: { when: "always" }, ladder: { nudges: 0, restarts: 0 } };

const restoreDone = (run: Circling): boolean => only(run.events, "RunRestored").length > 0;

/** Until that remedy was taken. */
function until(run: Circling, remedy: string): void {
  for (let round = 0; round < 50 && !run.remedies.includes(`${remedy}.1`); round += 1) run.untilRemedy();
  assert.ok(run.remedies.includes(`${remedy}.1`), `it never comes to ${remedy}: ${run.remedies.join(", ")}`);
}

test("R1 W3 files go back to the last checkpoint of before the trouble, once nobody works on them, and the agent begins again", () => {
  const run = new Circling({ use: "acp" }, KEPT);
  until(run, "restore");
  const opened = only(run.events, "RemedyTaken")[0];
  assert.equal(opened?.remedy, "warn");
  run.work(run.now + 10_000);
  const types = run.events.map(({ type }) => type);
  const wanted = types.lastIndexOf("RestoreWanted");
  const after = types.slice(wanted);
  // The agent is ended, what is there is kept, and only then are files put back.
  const order = (["AttemptEnded", "CheckpointTaken", "RunRestored", "AttemptStarted"] as const).map((type) =>
    after.indexOf(type),
  );
  assert.deepEqual(
    order,
    [...order].sort((a, b) => a - b),
  );
  assert.ok(order.every((at) => at > 0));
  const [want] = only(run.events, "RestoreWanted");
  assert.deepEqual([want?.by, want?.step], ["holdfast", "work"]);
  const kept = only(run.events, "CheckpointTaken").find(({ checkpoint }) => checkpoint === want?.checkpoint);
  assert.notEqual(kept?.cause, "before_restore");
  assert.equal(run.state.status, "running");
  const last = only(run.events, "EffectIntended").findLast(({ effect }) => effect.kind === "StartAgent");
  assert.ok(last?.effect.kind === "StartAgent" && last.effect.resume === undefined);
  assert.match(last.effect.task, /files were put back to how they were/);
  assert.equal(run.state.steps["work"]?.ladder?.remedy, "restore");
});

test("R1 without a checkpoint of before the trouble nothing is put back, and that is written down", () => {
  const run = new Circling({ use: "acp" });
  run.work(40 * MINUTE);
  const passed = only(run.events, "RemedyJudged").find(({ remedy }) => remedy === "restore");
  assert.equal(passed?.outcome, "not_applicable");
  assert.match(passed?.why ?? "", /no checkpoint/);
  assert.equal(restoreDone(run), false);
});

test("R1 an agent that was done after all keeps its work: the files are not put back", () => {
  const run = new Circling({ use: "acp" }, KEPT);
  const attempts = (): string[] => Object.keys(run.state.attempts);
  run.onEnd = [
    { kind: "result", ok: true, text: "done" },
    { kind: "exit", how: "code", code: 0 },
  ];
  until(run, "restore");
  run.work(run.now + MINUTE);
  assert.deepEqual(attempts(), []);
  assert.equal(restoreDone(run), false);
  assert.equal(only(run.events, "RestoreDropped").length, 1);
  assert.equal(run.state.status, "completed");
});

test("R1 W4 another agent takes the step over, is given what was before, and has the last word of the remedies", () => {
  const run = new Circling(
    { use: "acp" },
    { ladder: { nudges: 0, restarts: 0, nextAgent: "senior" } },
    { senior: { use: "acp" } },
  );
  until(run, "other_agent");
  run.loops = false;
  run.work(run.now + 2 * MINUTE);
  const [over] = only(run.events, "HandedOver");
  assert.deepEqual([over?.from, over?.to, over?.by], ["dev", "senior", "holdfast"]);
  assert.match(over?.reason ?? "", /stuck \(tool_loop\)/);
  const last = only(run.events, "AttemptStarted").at(-1);
  assert.equal(last?.agent, "senior");
  const assessed = only(run.events, "RemedyJudged").at(-1);
  assert.deepEqual([assessed?.remedy, assessed?.outcome], ["other_agent", "helped"]);
  run.loops = true;
  until(run, "operator");
  assert.equal(run.state.blocked?.reason, "stuck");
});

test("R1 nobody hands a step over to the agent that is stuck", () => {
  const run = new Circling({ use: "acp" }, { ladder: { nudges: 0, restarts: 0, nextAgent: "dev" } });
  until(run, "operator");
  assert.equal(only(run.events, "HandedOver").length, 0);
});

const CHANNELS = {
  chat: { use: "command", command: ["chat"] },
  pager: { use: "command", command: ["pager"] },
};

test("R1 when no operator answers in time, people are notified by other ways, once, and again after a day", () => {
  const run = new Circling(
    { use: "acp" },
    { ladder: { nudges: 0, restarts: 0 }, notify: { channels: CHANNELS, external: ["pager"] } },
  );
  until(run, "operator");
  const reported = (): string[] =>
    only(run.events, "NoticeQueued").map(({ channel, notice }) => `${channel} ${notice.kind}`);
  assert.deepEqual(reported(), ["chat escalation"]);
  const asked = run.now;
  run.turn([], asked + 299_000);
  assert.deepEqual(reported(), ["chat escalation"]);
  run.turn([], asked + 300_000);
  run.turn([], asked + 310_000);
  assert.deepEqual(reported(), ["chat escalation", "pager reminder"]);
  assert.equal(run.remedies.at(-1), "external.1");
  run.turn([], asked + 300_000 + 24 * 60 * MINUTE);
  assert.deepEqual(reported().slice(2).sort(), ["chat reminder", "pager reminder"]);
  const request: RunEvent = {
    type: "RequestHeard",
    data: { requestId: "r1", request: { kind: "retry", step: "work" }, by: "cli" },
  };
  run.turn([request], run.now + 1_000);
  const assessed = only(run.events, "RemedyJudged").at(-1);
  assert.deepEqual([assessed?.remedy, assessed?.outcome], ["external", "helped"]);
  assert.equal(run.state.steps["work"]?.ladder, null);
});

test("R1 without a channel that is kept for it the last rung is passed over", () => {
  const run = new Circling({ use: "acp" }, { ladder: { nudges: 0, restarts: 0 } });
  until(run, "operator");
  run.turn([], run.now + 300_000);
  const last = only(run.events, "RemedyJudged").at(-1);
  assert.deepEqual([last?.remedy, last?.outcome], ["external", "not_applicable"]);
  run.turn([], run.now + 24 * 60 * MINUTE);
  assert.equal(only(run.events, "RemedyJudged").at(-1), last);
});

test("R3 an agent whose context is full is sent its own word for making room, and begins a new conversation when it is restarted", () => {
  const run = new Circling({ use: "tmux", command: ["agent"], compact: "/compact" });
  run.full = true;
  run.loops = false;
  until(run, "strategy");
  const reported = only(run.events, "EffectIntended").flatMap(({ effect }) =>
    effect.kind === "TellAgent" ? [effect.text] : [],
  );
  assert.deepEqual(reported, ["/compact"]);
  until(run, "restart");
  run.work(run.now + 30_000);
  const starts = only(run.events, "EffectIntended").flatMap(({ effect }) =>
    effect.kind === "StartAgent" ? [effect.resume] : [],
  );
  assert.deepEqual(starts, [undefined, undefined]);
});
