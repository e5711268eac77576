import assert from "node:assert/strict";
import { test } from "node:test";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { FlowRun, only } from "../flow-run.ts";

const TERMINAL: AgentSpec = { use: "tmux", command: ["my-agent"] };

function showed(verdict: "pass" | "fail"): EffectOutcome {
  const exit = { exitCode: verdict === "pass" ? 0 : 1, signal: null, timedOut: false };
  const output = { outputBytes: 0, digest: "", excerpt: "", durationMs: 5 };
  return { kind: "done", evidence: { command: "check", verdict, ...exit, ...output } };
}

function begun(spec: AgentSpec, settings: object = {}): FlowRun {
  const steps = [{ name: "work", task: "do it", checks: [{ run: "check" }] }];
  const run = new FlowRun({ name: "f", steps }, settings);
  run.state.agents["dev"] = spec;
  run.settle("before/RunCheck", showed("fail"));
  run.settle("StartAgent", { kind: "done" });
  return run;
}

const receive = (run: FlowRun, ...signals: Signal[]): unknown =>
  run.turn([{ type: "SignalsHeard", data: { attempt: "work#1", cursor: "1", signals } }]);

/** Holdfast ends a session that looks stuck. */
function endStuck(spec: AgentSpec): FlowRun {
  const run = begun(spec);
  receive(run, { kind: "ready" }, { kind: "progress", text: "it is written" });
  run.turn([{ type: "AttemptEnding", data: { attempt: "work#1", to: "stuck", why: "no progress" } }]);
  receive(run, { kind: "exit", how: "signal", signal: "SIGTERM" });
  run.settle("EndAgent", { kind: "done" });
  return run;
}

test("A11 B4 a terminal program that finished unseen is not given its work again: its check is asked first", () => {
  const run = endStuck(TERMINAL);
  assert.deepEqual(only(run.events, "AttemptEnded"), []);
  run.settle("end/RunCheck", showed("pass"));
  const [end] = only(run.events, "AttemptEnded");
  assert.equal(end?.outcome, "succeeded");
  assert.match(end.why, /checks failed before and pass now/);
});

test("A11 B4 where its check still fails, the terminal program is started again as before", () => {
  const run = endStuck(TERMINAL);
  run.settle("end/RunCheck", showed("fail"));
  assert.equal(only(run.events, "AttemptEnded")[0]?.outcome, "stalled");
});

test("A11 an agent that says when it is done is ended as stuck without its check", () => {
  assert.equal(only(endStuck({ use: "claude" }).events, "AttemptEnded")[0]?.outcome, "stalled");
});

test("A11 A4 silence of a terminal program that has no task yet is not called the model's", () => {
  const evidenceOf = (...signals: Signal[]): string => {
    const run = begun(TERMINAL, { health: { tickMs: 1_000 } });
    receive(run, { kind: "progress", text: "Loading" }, ...signals);
    for (let minutes = 0; minutes < 40; minutes += 1) run.turn([], 60_000);
    return only(run.events, "HealthChanged")
      .flatMap(({ evidence }) => evidence)
      .join("\n");
  };
  assert.match(evidenceOf(), /the program has no task yet: it was not seen at its prompt for \d+ s/);
  assert.doesNotMatch(evidenceOf(), /the model has not answered/);
  assert.match(evidenceOf({ kind: "ready" }), /the model has not answered for \d+ s/);
});
