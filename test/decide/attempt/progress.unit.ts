import assert from "node:assert/strict";
import { test } from "node:test";
import type { Evidence } from "../../../src/model/effects/evidence.ts";
import { FlowRun, only } from "../flow-run.ts";

const kept = (digest: string) => ({
  kind: "done" as const,
  snapshot: { id: `s-${digest}`, digest, files: 1, branch: "main", commit: "c0", skipped: 0 },
});

const failed = (excerpt: string): { kind: "done"; evidence: Evidence } => ({
  kind: "done",
  evidence: {
    command: "npm test",
    verdict: "fail",
    exitCode: 1,
    signal: null,
    timedOut: false,
    outputBytes: 0,
    digest: "",
    excerpt,
    durationMs: 5,
  },
});

const ALWAYS = { checkpoints: { when: "always" }, checks: { baseline: false } };
const CHECKED = { name: "f", steps: [{ name: "work", task: "t", checks: [{ run: "npm test" }] }] };

/** One attempt: its files as it finds them, and what the check says of what it has made. */
function attempt(run: FlowRun, found: string, says: string): void {
  run.settle("TakeCheckpoint", kept(found));
  run.end("work");
  run.settle("RunCheck", failed(says));
}

test("G6 the same check failure with no file changed stops a step before its tries are used up", () => {
  const run = new FlowRun(CHECKED, { ...ALWAYS, checks: { tries: 5, baseline: false } });
  attempt(run, "empty", "1 of 30 failed after 12 ms");
  attempt(run, "made", "1 of 30 failed after 15 ms");
  // The files that the third attempt would begin with are those that the second began with.
  run.settle("TakeCheckpoint", kept("made"));
  assert.deepEqual(run.live, []);
  assert.equal(run.state.blocked?.reason, "retries_exhausted");
  assert.match(run.state.blocked.detail, /2 times; .*no file was changed by the last attempt/);
  assert.match(run.state.steps["work"]?.lastFailure?.text ?? "", /npm test/);
  run.turn([
    {
      type: "RequestHeard",
      data: { requestId: "r", request: { kind: "retry", step: "work" }, by: "anna" },
    },
  ]);
  assert.equal(run.state.status, "running");
  run.settle("TakeCheckpoint", kept("made"));
  assert.deepEqual(run.live, ["work"], "a person gives it new attempts");
});

test("G6 another failure, changed files, or files that nobody has kept use up the tries", () => {
  const other = new FlowRun(CHECKED, ALWAYS);
  attempt(other, "empty", "one thing failed");
  attempt(other, "made", "another thing failed");
  other.settle("TakeCheckpoint", kept("made"));
  assert.deepEqual(other.live, ["work"]);

  const changed = new FlowRun(CHECKED, ALWAYS);
  attempt(changed, "empty", "one thing failed");
  attempt(changed, "made", "one thing failed");
  changed.settle("TakeCheckpoint", kept("changed"));
  assert.deepEqual(changed.live, ["work"]);

  const unknown = new FlowRun(CHECKED, { ...ALWAYS, checkpoints: { when: "never" } });
  for (let tries = 0; tries < 2; tries += 1) {
    unknown.end("work");
    unknown.settle("RunCheck", failed("one thing failed"));
  }
  assert.deepEqual(unknown.live, ["work"]);
});

const CHAIN = {
  name: "f",
  steps: ["a", "b", "c", "d"].map((name, at, all) => ({
    name,
    task: "t",
    needs: at === 0 ? [] : [all[at - 1] ?? ""],
  })),
};

/** Each step's work is accepted; the checkpoints show these files. */
function worked(settings: object, digests: readonly string[]): FlowRun {
  const run = new FlowRun(CHAIN, { ...ALWAYS, ...settings });
  const [first = "", ...later] = digests;
  run.settle("TakeCheckpoint", kept(first));
  for (const [at, digest] of later.entries()) {
    run.end(CHAIN.steps[at]?.name ?? "");
    run.settle("TakeCheckpoint", kept(digest));
  }
  return run;
}

test("G6 three accepted turns with nothing to show ask a person, who lets the run go on", () => {
  const run = worked({}, ["same", "same", "same", "same"]);
  assert.equal(run.state.blocked?.reason, "stuck");
  assert.match(run.state.blocked.detail, /last 3 steps that were accepted \("a", "b", "c"\) changed no file/);
  assert.deepEqual(run.live, []);
  const [asked] = only(run.events, "EscalationRaised");
  assert.ok(asked !== undefined, "a person is asked");
  const answer = run.turn([
    { type: "RequestHeard", data: { requestId: "r", request: { kind: "retry" }, by: "anna" } },
  ]);
  assert.deepEqual(only(answer, "StepReset"), [], "what was accepted stays so");
  run.settle("TakeCheckpoint", kept("same"));
  assert.deepEqual(run.live, ["d"]);
});

test("G6 a changed file, a passed check or a setting of none lets accepted turns count as progress", () => {
  assert.deepEqual(worked({}, ["same", "same", "new", "new"]).live, ["d"]);
  assert.deepEqual(worked({ progress: { turns: 0 } }, ["same", "same", "same", "same"]).live, ["d"]);
  assert.equal(worked({ progress: { turns: 2 } }, ["same", "same", "same"]).state.blocked?.reason, "stuck");
});
