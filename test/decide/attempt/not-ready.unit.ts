import assert from "node:assert/strict";
import { test } from "node:test";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import { FlowRun, only } from "../flow-run.ts";

function showed(verdict: "pass" | "fail"): EffectOutcome {
  const exit = { exitCode: verdict === "pass" ? 0 : 1, signal: null, timedOut: false };
  const output = { outputBytes: 0, digest: "", excerpt: "", durationMs: 5 };
  return { kind: "done", evidence: { command: "check", verdict, ...exit, ...output } };
}

test("G7 the checks of gates are run again at the end, and what they show counts", () => {
  const gate = { name: "good", kind: "evidence", checks: [{ run: "npm test" }] };
  const run = new FlowRun({
    name: "f",
    phases: [{ name: "make", gate }, { name: "out" }],
    steps: [
      { name: "build", task: "t", phase: "make" },
      { name: "tell", task: "t", phase: "out" },
    ],
  });
  run.end("build");
  run.settle("RunAtGate", showed("pass"));
  run.end("tell");
  run.settle("reality/RunAtGate", showed("fail"));
  const [assessed] = only(run.events, "RealityChecked");
  assert.deepEqual([assessed?.verdict, assessed?.reopened], ["NOT READY", ["build"]]);
});

test("G7 NOT READY plans again where the run has a planner, as often as plan.replans says, and then asks a person", () => {
  const steps = [{ name: "plan", task: "t", plans: {} }];
  const settings = { reality: { when: "always", checks: ["npm test"] }, plan: { replans: 1 } };
  const run = new FlowRun({ name: "f", steps }, settings);
  for (const name of ["one", "two"]) {
    run.end("plan");
    run.deliver({ "": { steps: [{ name, task: "do it" }] } }, "plan.json");
    run.end(name);
    run.settle("reality/RunAtGate", showed("fail"));
  }
  assert.equal(only(run.events, "StepsReplanned").length, 1);
  assert.deepEqual(
    only(run.events, "RealityChecked").map(({ reopened }) => reopened),
    [["plan"], []],
  );
  assert.equal(run.state.blocked?.reason, "retries_exhausted");
});
