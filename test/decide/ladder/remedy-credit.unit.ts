import assert from "node:assert/strict";
import { test } from "node:test";
import { LADDER, whyUnfit } from "../../../src/decide/ladder/ladder.ts";
import { PATTERNS } from "../../../src/model/agent/health.ts";
import { CAUSES } from "../../../src/model/agent/ladder.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { Circling, only } from "../circling.ts";

const MINUTE = 60_000;
const KEPT = { checkpoints: { when: "always" } };

const outcomes = (run: Circling): string[] =>
  only(run.events, "RemedyJudged").map(({ remedy, outcome }) => `${remedy}: ${outcome}`);
const lastWhy = (run: Circling): string => only(run.events, "RemedyJudged").at(-1)?.why ?? "";

test("R2 progress after a restart that no remedy ordered is not credited to the warning before it", () => {
  const run = new Circling({ use: "acp" });
  run.untilRemedy();
  assert.deepEqual(run.remedies, ["warn.1"]);
  run.receive("work#1", [{ kind: "exit", how: "signal", signal: "SIGSEGV" }]);
  run.loops = false;
  run.work(run.now + 2 * MINUTE);
  assert.deepEqual(Object.keys(run.state.attempts), ["work#2"]);
  assert.deepEqual(outcomes(run), ["warn: unclear"]);
  assert.match(lastWhy(run), /started again for another reason/);
  const { health } = statusView(run.state, null);
  assert.match(health.evidence.join("\n"), /tool_loop is over; nothing shows which remedy helped/);
  assert.equal(health.remedies?.[0]?.next, null);
});

test("R2 a warning is credited only while nothing else was done, and then as a recovery of the agent's own", () => {
  const run = new Circling({ use: "acp" });
  run.untilRemedy();
  run.loops = false;
  run.work(run.now + 15_000);
  assert.deepEqual(outcomes(run), ["warn: helped"]);
  assert.match(lastWhy(run), /recovered by itself/);
});

test("R2 progress after a restart belongs to the restart, also where the attempt succeeds at once", () => {
  for (const isQuick of [true, false]) {
    const run = new Circling({ use: "acp" }, { ladder: { nudges: 0 } });
    while (!run.remedies.includes("restart.1")) run.untilRemedy();
    run.loops = false;
    if (isQuick)
      run.receive("work#2", [
        { kind: "result", ok: true, text: "done" },
        { kind: "exit", how: "code", code: 0 },
      ]);
    else run.work(run.now + MINUTE);
    assert.deepEqual(outcomes(run), [
      "warn: no_help",
      "nudge: not_applicable",
      "strategy: no_help",
      "restart: helped",
    ]);
  }
});

test("R2 an agent that was done before its restart took effect was not helped by the restart", () => {
  const run = new Circling({ use: "acp" }, { ladder: { nudges: 0 } });
  run.onEnd = [
    { kind: "result", ok: true, text: "done" },
    { kind: "exit", how: "code", code: 0 },
  ];
  while (!run.remedies.includes("restart.1")) run.untilRemedy();
  assert.equal(run.state.status, "completed");
  assert.equal(outcomes(run).at(-1), "restart: unclear");
  assert.match(lastWhy(run), /succeeded before it took effect/);
});

test("R2 a nudge that has not arrived is not credited, and neither is one that a person's message followed", () => {
  const late = new Circling({ use: "acp" });
  late.answers = { TellAgent: null };
  while (!late.remedies.includes("nudge.1")) late.untilRemedy();
  late.loops = false;
  late.receive("work#1", [{ kind: "progress", text: "on" }]);
  assert.deepEqual(outcomes(late), ["warn: no_help"]);

  const both = new Circling({ use: "acp" });
  while (!both.remedies.includes("nudge.1")) both.untilRemedy();
  const request = { kind: "tell", text: "look at the parser" } as const;
  both.turn([{ type: "RequestHeard", data: { requestId: "r1", request, by: "ada" } }]);
  both.loops = false;
  both.work(both.now + MINUTE);
  assert.equal(outcomes(both).at(-1), "nudge: unclear");
  assert.match(lastWhy(both), /another message was sent/);
});

/** It waits for a model that does not answer, after it has worked. */
function silentProvider(settings: object): Circling {
  const run = new Circling({ use: "acp" }, settings);
  run.loops = false;
  run.work(run.now + MINUTE);
  run.silent = true;
  for (const until = run.now + 120 * MINUTE; run.now < until && run.state.status === "running";) {
    for (const { id, lastSignalAt: heardAt } of Object.values(run.state.attempts))
      if (heardAt === null) run.receive(id, [{ kind: "ready" }]);
    run.work(run.now + 5_000);
  }
  return run;
}

test("R1 R3 a silent provider never makes the files go back: that is passed over with its reason", () => {
  const run = silentProvider({ ...KEPT, stale: { pause: false } });
  assert.equal(run.state.blocked?.reason, "stuck");
  assert.deepEqual(
    only(run.events, "RemedyTaken").map(({ remedy, cause }) => `${remedy} ${cause ?? ""}`),
    ["warn", "nudge", "nudge", "nudge", "restart", "restart", "operator"].map((one) => `${one} provider`),
  );
  assert.deepEqual(only(run.events, "RestoreWanted"), []);
  const passed = only(run.events, "RemedyJudged").find(({ remedy }) => remedy === "restore");
  assert.equal(passed?.outcome, "not_applicable");
  assert.match(passed.why, /cannot help against no_progress, caused by the provider/);
});

test("R1 R3 a provider that fails again and again does not make the files go back either", () => {
  const run = new Circling({ use: "claude" }, { ...KEPT, stale: { pause: false } });
  run.silent = true;
  const error = { kind: "error", text: "overloaded", status: 529, terminal: false };
  for (let round = 0; round < 400 && run.state.status === "running"; round += 1) {
    const [attempt] = Object.keys(run.state.attempts);
    if (attempt !== undefined) run.receive(attempt, [error]);
    run.work(run.now + 5_000);
  }
  assert.equal(run.state.blocked?.reason, "stuck");
  assert.deepEqual(only(run.events, "RestoreWanted"), []);
  const passed = only(run.events, "RemedyJudged").filter(({ outcome }) => outcome === "not_applicable");
  assert.deepEqual(
    passed.map(({ remedy }) => remedy),
    ["nudge", "strategy", "restore", "helper", "other_agent"],
  );
});

test("R1 the table says of every rung which diagnoses it can help, and why not the others", () => {
  for (const { remedy, helps, unfit } of LADDER)
    for (const cause of CAUSES)
      for (const pattern of PATTERNS) {
        const why = whyUnfit(remedy, { pattern, cause });
        assert.equal(why === null, helps[cause].includes(pattern));
        if (why !== null) assert.ok(unfit.length > 20 && why.includes(unfit), `${remedy} says no reason`);
      }
  const restore = LADDER.find(({ remedy }) => remedy === "restore");
  assert.deepEqual(restore?.helps.provider, []);
});
