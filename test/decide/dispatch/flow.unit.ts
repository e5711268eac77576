import assert from "node:assert/strict";
import { test } from "node:test";
import { FlowRun, only } from "../flow-run.ts";

const step = (name: string, more: object = {}) => ({ name, task: `do ${name}`, ...more });

test("G1 a step whose condition on a value does not hold is skipped, and the run ends without it", () => {
  const run = new FlowRun({
    name: "f",
    steps: [
      step("look", { outputs: ["out.json"] }),
      step("mend", { when: { step: "look", output: "out.json", at: "/ready", equals: false } }),
    ],
  });
  run.end("look");
  const [collect] = Object.values(run.state.effects);
  assert.deepEqual(collect?.kind === "CollectOutputs" && collect.read, [
    { path: "out.json", at: ["/ready"] },
  ]);
  const events = run.deliver({ "/ready": true });
  assert.match(
    only(events, "StepSkipped")[0]?.why ?? "",
    /\/ready of out\.json of "look" is true, expected equals false/,
  );
  assert.deepEqual(run.statuses, { look: "succeeded", mend: "skipped" });
  assert.equal(run.state.status, "completed");
});

test("G1 numbers and other values decide as well, and what is not there is never right", () => {
  const result = (condition: object, value: Record<string, unknown>): string | undefined => {
    const run = new FlowRun({
      name: "f",
      steps: [
        step("a", { outputs: ["out.json"] }),
        step("b", { when: { step: "a", output: "out.json", ...condition } }),
      ],
    });
    run.end("a");
    run.deliver(value);
    return run.statuses["b"];
  };
  assert.equal(result({ at: "/n", above: 2, below: 4 }, { "/n": 3 }), "running");
  assert.equal(result({ at: "/n", above: 2 }, { "/n": 2 }), "skipped");
  assert.equal(result({ at: "/n", below: 2 }, { "/n": "1" }), "skipped");
  assert.equal(result({ at: "/n", below: 2 }, {}), "skipped");
  assert.equal(result({ at: "/n", not: "x" }, { "/n": "y" }), "running");
  assert.equal(result({ equals: { a: 1, b: [2] } }, { "": { b: [2], a: 1 } }), "running");
});

test("G1 steps that need a skipped one are skipped too, or begin all the same where they say so", () => {
  const run = new FlowRun({
    name: "f",
    steps: [
      step("a", { outputs: ["out.json"] }),
      step("b", { when: { step: "a", output: "out.json", equals: 1 } }),
      step("c", { needs: ["b"] }),
      step("d", { needs: ["b"], onSkipped: "run" }),
      step("e", { when: { step: "c", status: "skipped" } }),
    ],
  });
  run.end("a");
  run.deliver({ "": 2 });
  assert.deepEqual(run.statuses, { a: "succeeded", b: "skipped", c: "skipped", d: "running", e: "pending" });
  run.end("d");
  assert.deepEqual(run.live, ["e"]);
});

test("G1 a failure that another step is there for does not stop the run: that step is done, the others are skipped", () => {
  const run = new FlowRun({
    name: "f",
    steps: [
      step("a"),
      step("ship", { needs: ["a"] }),
      step("rescue", { when: { step: "a", status: "failed" } }),
    ],
  });
  run.fail("a");
  assert.deepEqual(run.statuses, { a: "failed", ship: "skipped", rescue: "running" });
  run.end("rescue");
  assert.equal(run.state.status, "completed");
});

test("G1 without such a step a failure asks for a person, and when it is tried again what was skipped is assessed again", () => {
  const written = {
    name: "f",
    steps: [
      step("a"),
      step("ship", { needs: ["a"] }),
      step("rescue", { when: { step: "a", status: "failed" } }),
    ],
  };
  const alone = new FlowRun({ name: "f", steps: written.steps.slice(0, 2) });
  alone.fail("a");
  assert.equal(alone.state.status, "blocked");
  const run = new FlowRun(written);
  run.fail("a");
  run.turn([{ type: "StepReset", data: { step: "a" } }]);
  assert.equal(run.statuses["ship"], "pending");
  run.end("rescue");
  run.end("a");
  assert.deepEqual(run.live, ["ship"]);
  run.end("ship");
  assert.equal(run.state.status, "completed");
  assert.equal(run.state.stepsLeft, 0);
});

test("G1 W10 a step that names its inputs is given exactly those; one that is missing is a block that says which", () => {
  const run = new FlowRun({
    name: "f",
    steps: [
      step("a", { outputs: ["out.json"] }),
      step("b", { needs: ["a"], outputs: ["out2.json"] }),
      step("c", { inputs: ["out.json"], needs: ["b"] }),
      step("d", { inputs: [{ step: "b", output: "out2.json" }], needs: ["c"] }),
    ],
  });
  run.end("a");
  run.deliver({});
  run.end("b");
  const events = run.deliver({}, "out2.json");
  const start = only(events, "EffectIntended").find(({ effect }) => effect.kind === "StartAgent");
  assert.deepEqual(
    start?.effect.kind === "StartAgent" &&
      start.effect.artifacts?.map(({ step: of, path }) => `${of}/${path}`),
    ["a/out.json"],
  );
  Reflect.deleteProperty(run.state.artifacts, "b");
  run.end("c");
  assert.equal(run.state.blocked?.reason, "dispatch_error");
  assert.match(run.state.blocked?.detail ?? "", /its input "out2\.json" of step "b" was not delivered/);
});

test("G1 two steps that write never work in one tree at once; those that only review work together, apart from them", () => {
  const run = new FlowRun({
    name: "f",
    roles: { reader: { agent: "dev", authority: "reviews" }, critic: { agent: "dev", authority: "reviews" } },
    steps: [
      step("w1"),
      step("w2"),
      step("r1", { role: "reader" }),
      step("r2", { role: "critic" }),
      step("w3"),
    ],
  });
  assert.deepEqual(run.live, ["w1"]);
  run.end("w1");
  assert.deepEqual(run.live, ["w2"]);
  run.end("w2");
  assert.deepEqual(run.live, ["r1", "r2"]);
  run.end("r1");
  assert.deepEqual(run.live, ["r2"]);
  run.end("r2");
  assert.deepEqual(run.live, ["w3"]);
});

const kept = (id: number, digest: string) => ({
  kind: "done" as const,
  snapshot: { id: `s${String(id)}`, digest, files: 1, branch: "main", commit: "c0", skipped: 0 },
});

test("G1 what a reviewer has changed is put back before the next step begins, and what it changed is a checkpoint", () => {
  const run = new FlowRun(
    { name: "f", steps: [step("r", { authority: "reviews" }), step("w", { needs: ["r"] })] },
    { checkpoints: { when: "always" } },
  );
  run.settle("TakeCheckpoint", kept(1, "clean"));
  assert.equal(run.state.readSince, "c1");
  run.end("r");
  assert.deepEqual(run.live, []);
  run.settle("TakeCheckpoint", kept(2, "changed"));
  const [restore] = Object.values(run.state.effects);
  assert.equal(restore?.kind === "RestoreCheckpoint" && restore.snapshot, "s1");
  run.settle("RestoreCheckpoint", {
    kind: "done",
    restored: { before: "s2", written: 1, removed: 0 } as never,
  });
  assert.equal(run.state.readSince, null);
  run.settle("TakeCheckpoint", kept(3, "clean"));
  assert.deepEqual(run.live, ["w"]);
  assert.equal(run.state.status, "running", "it was not paused for that");
});

test("G1 where a reviewer has changed nothing, nothing is put back", () => {
  const run = new FlowRun(
    { name: "f", steps: [step("r", { authority: "reviews" }), step("w", { needs: ["r"] })] },
    { checkpoints: { when: "always" } },
  );
  run.settle("TakeCheckpoint", kept(1, "clean"));
  run.end("r");
  run.settle("TakeCheckpoint", kept(2, "clean"));
  assert.deepEqual(
    only(run.events, "RestoreDropped").map(({ why }) => why),
    ["nothing was changed"],
  );
  assert.equal(only(run.events, "RunRestored").length, 0);
});
