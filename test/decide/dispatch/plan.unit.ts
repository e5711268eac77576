import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { FlowRun, only } from "../flow-run.ts";

const FLOW = {
  name: "f",
  roles: { critic: { agent: "dev", authority: "reviews" } },
  steps: [
    { name: "plan", task: "plan it", authority: "proposes", plans: {} },
    { name: "ship", task: "ship it", needs: ["plan"] },
  ],
};

const planned = (run: FlowRun, steps: readonly object[]) => run.deliver({ "": { steps } }, "plan.json");

function withPlan(steps: readonly object[], settings?: unknown): FlowRun {
  const run = new FlowRun(FLOW, settings);
  run.end("plan");
  planned(run, steps);
  return run;
}

const AB = [
  { name: "a", task: "first" },
  { name: "b", task: "then", needs: ["a"] },
  { name: "look", task: "look at it", role: "critic", needs: ["b"] },
];

test("G1 R6 an agent plans: its steps are added to the run with their roles, and what waits for the plan waits for them", () => {
  const run = new FlowRun(FLOW);
  const task = Object.values(run.state.effects).find((effect) => effect.kind === "StartAgent");
  assert.match(
    task?.kind === "StartAgent" ? task.task : "",
    /You plan; others do\. .*plan\.json.*roles: critic/s,
  );
  run.end("plan");
  const events = planned(run, AB);
  assert.deepEqual(
    only(events, "StepsPlanned")[0]?.steps.map(({ name, needs, authority }) => [name, needs, authority]),
    [
      ["a", ["plan"], "writes"],
      ["b", ["plan", "a"], "writes"],
      ["look", ["plan", "b"], "reviews"],
    ],
  );
  for (const name of ["a", "b", "look", "ship"]) {
    assert.deepEqual(run.live, [name]);
    run.end(name);
  }
  assert.equal(run.state.status, "completed");
  assert.equal(run.state.stepsLeft, 0);
});

const BAD: readonly (readonly [string, unknown, RegExp])[] = [
  ["no plan", { todo: [] }, /steps: /],
  ["no steps", { steps: [] }, /steps: /],
  ["an unknown key", { steps: [{ name: "a", task: "t", prio: 1 }] }, /prio/],
  [
    "a need of nothing",
    { steps: [{ name: "a", task: "t", needs: ["x"] }] },
    /it needs "x", which is no step/,
  ],
  [
    "a circle",
    {
      steps: [
        { name: "a", task: "t", needs: ["b"] },
        { name: "b", task: "t", needs: ["a"] },
      ],
    },
    /form a circle/,
  ],
  [
    "a circle through what waits for it",
    { steps: [{ name: "a", task: "t", needs: ["ship"] }] },
    /form a circle/,
  ],
  ["a name that is taken", { steps: [{ name: "ship", task: "t" }] }, /the name "ship" is used by two steps/],
  [
    "an agent that is not for plans",
    { steps: [{ name: "a", task: "t", agent: "root" }] },
    /its agent "root" may not be planned with; choose from dev/,
  ],
  [
    "a role that is none",
    { steps: [{ name: "a", task: "t", role: "boss" }] },
    /expected one of the flow's roles: critic/,
  ],
  ["a plan in a plan", { steps: [{ name: "a", task: "t", plans: {} }] }, /plans/],
  [
    "an input nobody delivers",
    { steps: [{ name: "a", task: "t", inputs: ["x.md"] }] },
    /no step delivers "x\.md"/,
  ],
];

for (const [what, plan, said] of BAD)
  test(`G1 R6 a plan that cannot be worked goes back with what is wrong with it: ${what}`, () => {
    const run = new FlowRun(FLOW);
    run.end("plan");
    const events = run.deliver({ "": plan }, "plan.json");
    assert.match(only(events, "StepChecked")[0]?.feedback ?? "", said);
    assert.equal(run.statuses["plan"] === "succeeded", false);
    run.turn([], 60_000);
    const again = Object.values(run.state.effects).find((effect) => effect.kind === "StartAgent");
    assert.match(again?.kind === "StartAgent" ? again.task : "", said);
  });

test("G1 R6 a planner that plans nothing usable again and again is asked of a person", () => {
  const run = new FlowRun(FLOW);
  for (let tries = 0; tries < 3; tries += 1) {
    run.end("plan");
    run.deliver({ "": {} }, "plan.json");
    run.turn([], 60_000);
  }
  assert.equal(run.state.blocked?.step, "plan");
});

test("R6 a failed step has the rest replanned twice at most; what is done stays, with what it has delivered", () => {
  const run = withPlan([{ ...AB[0], outputs: ["out.json"] }, AB[1] ?? {}, AB[2] ?? {}]);
  run.end("a");
  run.deliver({});
  run.fail("b");
  const [first] = only(run.events, "StepsReplanned");
  assert.deepEqual(first?.dropped, ["b", "look"]);
  assert.match(first?.feedback ?? "", /step "b" has failed: cannot.*done and stay: a\./s);
  assert.deepEqual(run.live, ["plan"]);
  assert.equal(run.state.artifacts["a"]?.length, 1);
  run.end("plan");
  const refused = planned(run, [{ name: "b", task: "again" }]);
  assert.match(only(refused, "StepChecked")[0]?.feedback ?? "", /an earlier plan has used this name/);
  run.turn([], 60_000);
  run.end("plan");
  planned(run, [{ name: "b2", task: "another way", needs: ["a"] }]);
  run.fail("b2");
  run.end("plan");
  planned(run, [{ name: "b3", task: "a third way" }]);
  run.fail("b3");
  assert.equal(only(run.events, "StepsReplanned").length, 2);
  assert.equal(run.state.blocked?.step, "b3");
  assert.deepEqual(run.statuses, {
    plan: "succeeded",
    ship: "pending",
    a: "succeeded",
    b: "dropped",
    look: "dropped",
    b2: "dropped",
    b3: "failed",
  });
});

test("R6 a person has the rest replanned with retry of the step that plans, although the agent may not any more", () => {
  const run = withPlan(AB, { plan: { replans: 0 } });
  run.end("a");
  run.fail("b");
  assert.equal(run.state.status, "blocked");
  run.turn([
    { type: "RequestHeard", data: { requestId: "q1", by: "anna", request: { kind: "retry", step: "plan" } } },
  ]);
  assert.deepEqual(run.live, ["plan"]);
  run.end("plan");
  planned(run, [{ name: "c", task: "do c" }]);
  run.end("c");
  run.end("ship");
  assert.equal(run.state.status, "completed");
  assert.equal(run.state.stepsLeft, 0);
});

const reissued = (run: FlowRun, step?: string): RunEvent[] => {
  const request = { kind: "reissue", reason: "baseline", ...(step === undefined ? {} : { step }) } as const;
  return run.turn([{ type: "RequestHeard", data: { requestId: "q2", by: "anna", request } }]);
};
const answersIn = (events: readonly RunEvent[]): string =>
  only(events, "RequestAnswered")
    .map(({ answer }) => `${answer.kind}: ${answer.text}`)
    .join("\n");

test("R6 W6 a step that plans and is given out again has its plan dropped; what is done stays, and what was dropped is not given out", () => {
  const run = withPlan(AB);
  assert.match(answersIn(reissued(run, "plan")), /refused: .*a of the plan is at work; pause the run first/);
  run.end("a");
  run.fail("b");
  run.end("plan");
  planned(run, [{ name: "c", task: "do c" }]);
  run.end("c");
  run.end("ship");
  assert.equal(run.state.status, "completed");
  const events = reissued(run, "plan");
  assert.match(answersIn(events), /done: started again: plan/);
  assert.deepEqual(
    only(events, "StepsReplanned").map(({ dropped, by }) => [dropped, by]),
    [[[], "anna"]],
  );
  assert.match(run.state.steps["plan"]?.replanFor ?? "", /started again.*done and stay: a, c\./s);
  assert.match(answersIn(reissued(run, "b")), /refused: .*"b" was dropped when its plan was made again/);
  assert.deepEqual(run.live, ["plan"]);
});

test("R6 a condition that what is done has settled is no fault of the plan that comes after", () => {
  const run = new FlowRun({
    name: "f",
    steps: [
      { name: "plan", task: "plan it", plans: {} },
      { name: "look", task: "look", needs: ["plan"], when: [{ step: "plan", status: "succeeded" }] },
      { name: "else", task: "otherwise", needs: ["look"], when: [{ step: "look", status: "skipped" }] },
      { name: "last", task: "at last", needs: ["look"] },
    ],
  });
  run.end("plan");
  planned(run, [{ name: "a", task: "first" }]);
  run.end("a");
  run.end("look");
  assert.match(answersIn(reissued(run, "plan")), /done: started again: plan/);
  run.end("last");
  run.end("plan");
  const events = planned(run, [{ name: "b", task: "then" }]);
  assert.deepEqual(
    only(events, "StepsPlanned").map(({ steps }) => steps.map(({ name }) => name)),
    [["b"]],
  );
});

test("R6 W6 a plan that is given out again before its steps are done loses those", () => {
  const run = withPlan(AB, { plan: { replans: 0 } });
  run.end("a");
  run.fail("b");
  assert.equal(run.state.status, "blocked");
  const events = reissued(run, "plan");
  assert.deepEqual(only(events, "StepsReplanned")[0]?.dropped, ["b", "look"]);
  assert.equal(run.state.status, "running");
  assert.deepEqual(run.live, ["plan"]);
});

test("R6 without replanning and with more steps than allowed a plan ends where it should", () => {
  const run = new FlowRun(FLOW, { plan: { stepsMax: 1 } });
  run.end("plan");
  const events = planned(run, AB);
  assert.match(only(events, "StepChecked")[0]?.feedback ?? "", /it has 3 steps; at most 1 are allowed/);
});
