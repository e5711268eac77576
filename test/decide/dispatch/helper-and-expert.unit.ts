import assert from "node:assert/strict";
import { test } from "node:test";
import type { Effect } from "../../../src/model/effects/effects.ts";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { describeEvent } from "../../../src/views/text/describe-event.ts";
import { Circling, only } from "../circling.ts";

const MINUTE = 60_000;
const ACP: AgentSpec = { use: "acp" };

const startsOf = (run: Circling): Extract<Effect, { kind: "StartAgent" }>[] =>
  only(run.events, "EffectIntended").flatMap(({ effect }) => (effect.kind === "StartAgent" ? [effect] : []));
const agentsOf = (run: Circling): string[] => only(run.events, "AttemptStarted").map(({ agent }) => agent);

function stuckWithHelper(): Circling {
  const settings = { ladder: { nudges: 0, restarts: 0, helper: "hand" } };
  const run = new Circling(ACP, settings, { hand: ACP });
  for (let round = 0; round < 20 && !run.remedies.includes("helper.1"); round += 1) run.untilRemedy();
  return run;
}

test("R1 R3 a helper is given only the part that fails, its end is not the step's, and the step goes on knowing what it did", () => {
  const run = stuckWithHelper();
  assert.deepEqual(agentsOf(run), ["dev", "hand"]);
  const help = startsOf(run).at(-1);
  assert.equal(help?.resume, undefined);
  assert.match(help?.task ?? "", /you help with one part.*What fails \(tool_loop\): bash ls: \d+ times/s);
  run.receive("work#2", [
    { kind: "tool_call", name: "bash", args: "mkdir out" },
    { kind: "tool_result", name: "bash", ok: true, text: "made" },
    { kind: "result", ok: true, text: "made the folder that was missing" },
    { kind: "exit", how: "code", code: 0 },
  ]);
  run.loops = false;
  run.work(run.now + 10_000);
  assert.equal(run.state.status, "running", "the step is not done");
  assert.deepEqual(agentsOf(run), ["dev", "hand", "dev"]);
  const last = startsOf(run).at(-1);
  assert.equal(last?.resume, "talk", "the conversation of the agent before is kept");
  assert.match(last.task, /a helper \(hand\) was given only the part that failed.*made the folder/);
  const assessed = only(run.events, "RemedyJudged").at(-1);
  assert.deepEqual([assessed?.remedy, assessed?.outcome], ["helper", "helped"]);
  assert.equal(run.state.steps["work"]?.charged, 0);
});

test("R1 a helper that dies costs nothing, comes once per step, and the next rung follows", () => {
  const run = stuckWithHelper();
  run.receive("work#2", [{ kind: "exit", how: "signal", signal: "SIGSEGV" }]);
  run.work(40 * MINUTE);
  assert.equal(run.state.blocked?.reason, "stuck");
  assert.equal(run.remedies.filter((one) => one.startsWith("helper")).length, 1);
  assert.deepEqual([run.state.steps["work"]?.charged, agentsOf(run)], [0, ["dev", "hand", "dev"]]);
});

test("R1 without a helper that is named, the rung is passed over", () => {
  const run = new Circling(ACP, { ladder: { nudges: 0, restarts: 0 } });
  run.work(40 * MINUTE);
  const passed = only(run.events, "RemedyJudged").find(({ remedy }) => remedy === "helper");
  assert.deepEqual([passed?.outcome, passed?.why], ["not_applicable", "no helper is named (ladder.helper)"]);
});

const done = [
  { kind: "result", ok: true, text: "done" },
  { kind: "exit", how: "code", code: 0 },
];

/** Each attempt claims success; the check fails until so many have been run. */
function checked(failures: number, settings: object): Circling {
  let runs = 0;
  const alone = { ...settings, checks: { baseline: false } };
  const run = new Circling(ACP, alone, { senior: ACP }, [{ run: "npm test" }]);
  run.answer = (effect): EffectOutcome | undefined => {
    if (effect.kind !== "RunCheck") return undefined;
    runs += 1;
    const ok = runs > failures;
    return {
      kind: "done",
      evidence: {
        command: "npm test",
        verdict: ok ? "pass" : "fail",
        exitCode: ok ? 0 : 1,
        signal: null,
        timedOut: false,
        durationMs: 5,
        excerpt: ok ? "ok" : `failed: ${String(runs)}`,
        digest: "0",
        outputBytes: 2,
      },
    };
  };
  for (let round = 0; round < 30 && run.state.status === "running"; round += 1) {
    const [attempt] = Object.keys(run.state.attempts);
    if (attempt !== undefined) run.receive(attempt, done);
    else run.turn([], run.now + 10_000);
  }
  return run;
}

test("R3 G6 after the last failed check an expert takes the step, knows what was found, and its work counts", () => {
  const run = checked(3, { roles: { expert: "senior" } });
  assert.deepEqual(agentsOf(run), ["dev", "dev", "dev", "senior"]);
  assert.equal(run.state.status, "completed");
  const [tried, ...more] = only(run.events, "ExpertTried");
  assert.deepEqual([tried?.from, tried?.to, more.length], ["dev", "senior", 0]);
  assert.match(startsOf(run).at(-1)?.task ?? "", /failed: 3.*this task was dev's before/s);
});

test("R3 G6 an expert is tried once per step: when it fails too, people are asked", () => {
  const run = checked(99, { roles: { expert: "senior" } });
  assert.deepEqual(agentsOf(run), ["dev", "dev", "dev", "senior"]);
  assert.deepEqual([run.state.status, run.state.blocked?.reason], ["blocked", "retries_exhausted"]);
  const event = run.events.find(({ type }) => type === "ExpertTried");
  assert.ok(event !== undefined);
  assert.match(
    describeEvent({ ...event, run: "r", seq: 1, at: 0, hash: "" }),
    /the expert senior takes it over from dev, before people are asked/,
  );
  assert.equal(statusView(run.state, null).status, "blocked");
});

test("R3 G6 without an expert, or with one that has failed already, people are asked as before", () => {
  assert.deepEqual(agentsOf(checked(99, {})), ["dev", "dev", "dev"]);
  assert.deepEqual(agentsOf(checked(99, { roles: { expert: "dev" } })), ["dev", "dev", "dev"]);
});
