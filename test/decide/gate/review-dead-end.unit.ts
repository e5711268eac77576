import assert from "node:assert/strict";
import { test } from "node:test";
import { FlowRun } from "../flow-run.ts";

const EVIDENCE = {
  command: "make test",
  verdict: "fail",
  exitCode: 1,
  signal: null,
  timedOut: false,
  outputBytes: 0,
  digest: "",
  excerpt: "1 failed",
  durationMs: 5,
} as const;

function failing(authority: string): FlowRun {
  const step = { name: "look", task: "t", authority, checks: [{ run: "make test" }] };
  const writer = { name: "w", task: "t", needs: ["look"] };
  const run = new FlowRun({ name: "f", steps: [step, writer] }, { checks: { baseline: false } });
  for (let nth = 0; nth < 3; nth += 1) {
    run.turn([], 3_600_000);
    run.end("look");
    run.settle("RunCheck", { kind: "done", evidence: EVIDENCE });
  }
  return run;
}

test("G3 a check that only a reviewer could mend, whose changes are put back, is named a dead end", () => {
  assert.deepEqual(failing("reviews").state.blocked?.guidance, ["review_only_dead_end"]);
  assert.deepEqual(failing("writes").state.blocked?.guidance, ["proof_not_strong_enough"]);
});
