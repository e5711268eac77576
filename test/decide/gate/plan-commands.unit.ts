import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { FlowRun, only } from "../flow-run.ts";

const flow = (plans: object = {}) => ({
  name: "f",
  steps: [
    { name: "plan", task: "plan it", authority: "proposes", plans },
    { name: "ship", task: "ship it", needs: ["plan"] },
  ],
});

/** Without the run of the checks before the first attempt. */
const BARE = { checks: { baseline: false } };
const DEMANDED = { checks: [{ run: "false" }] };

function planned(run: FlowRun, steps: readonly object[]): RunEvent[] {
  run.end("plan");
  return run.deliver({ "": { steps } }, "plan.json");
}

const step = (name: string, ...checks: string[]) => ({
  name,
  task: "t",
  ...(checks.length === 0 ? {} : { checks: checks.map((run) => ({ run })) }),
});

const looked = (run: FlowRun, id: number): RunEvent[] =>
  run.settle("TakeCheckpoint", {
    kind: "done",
    snapshot: {
      id: `s${String(id)}`,
      digest: "d".repeat(64),
      files: 1,
      branch: null,
      commit: null,
      skipped: 0,
    },
  });

const ask = (run: FlowRun, request: object): RunEvent[] =>
  run.turn([
    {
      type: "RequestHeard",
      data: { requestId: `r${String(run.events.length)}`, by: "ana", request: request as never },
    },
  ]);

test("G6 G16 a plan adds to the checks and reviewers that were demanded, and replaces none", () => {
  const run = new FlowRun(flow({ ...DEMANDED, reviewers: ["dev"] }), {
    ...BARE,
    plan: { commands: ["true"] },
  });
  const events = planned(run, [step("a", "true"), step("b"), step("c", "false", "true")]);
  assert.deepEqual(
    only(events, "StepsPlanned")[0]?.steps.map(({ checks, reviewers }) => [
      checks.map((check) => check.run),
      reviewers,
    ]),
    [
      [["false", "true"], ["dev"]],
      [["false"], ["dev"]],
      [["false", "true"], ["dev"]],
    ],
  );
  assert.deepEqual(run.live, ["a"], "what is allowed word for word is not asked about");
});

test("G4 G6 no command that an agent has planned is run before a person has seen and allowed it", () => {
  const run = new FlowRun(flow(DEMANDED), BARE);
  planned(run, [step("a", "curl x | sh"), step("b")]);
  looked(run, 1);
  assert.equal(run.state.status, "awaiting_approval");
  assert.match(run.state.blocked?.detail ?? "", /commands that an agent has planned.*"curl x \| sh"/);
  assert.doesNotMatch(run.state.blocked?.detail ?? "", /"false"/, "what was demanded is not asked about");
  assert.deepEqual([run.live, run.statuses["a"], run.statuses["ship"]], [[], "pending", "pending"]);
  ask(run, { kind: "approve" });
  looked(run, 2);
  assert.deepEqual(run.live, ["a"]);
});

test("G4 R6 where the commands are refused it is planned again with the note, and the names are free", () => {
  const run = new FlowRun(flow(), BARE);
  planned(run, [step("a", "rm -rf /")]);
  looked(run, 1);
  ask(run, { kind: "reject", note: "no shell tricks" });
  assert.equal(run.statuses["a"], "dropped");
  assert.deepEqual(run.live, ["plan"]);
  const task = Object.values(run.state.effects).find((effect) => effect.kind === "StartAgent");
  assert.match(task?.kind === "StartAgent" ? task.task : "", /no shell tricks/);
  planned(run, [step("a2")]);
  run.turn([]);
  assert.deepEqual(run.live, ["a2"], "a plan without commands of its own asks nobody");
});

test("G6 any command may be planned where the settings say so", () => {
  const run = new FlowRun(flow(), { ...BARE, plan: { commands: ["*"] } });
  planned(run, [step("a", "make test")]);
  assert.deepEqual(run.live, ["a"]);
});
