import assert from "node:assert/strict";
import { test } from "node:test";
import type { Step } from "../../../src/model/flow/flow.ts";
import { flowProblems } from "../../../src/model/flow/flow-problems.ts";

const AGENTS = { dev: { use: "demo" } } as const;

const maker = (name: string, needs: readonly string[], path = "report.md"): Step => ({
  name,
  task: "t",
  agent: "dev",
  authority: "writes",
  checks: [],
  needs: [...needs],
  outputs: [{ path }],
});

const problemsOf = (steps: Step[]) => flowProblems({ name: "f", steps, phases: [] }, AGENTS);

test("G1 of steps that deliver one file each must build on the one before, no matter what stands between and in which order", () => {
  assert.deepEqual(problemsOf([maker("c", ["b"]), maker("a", []), maker("b", ["a"])]), []);
  assert.deepEqual(
    problemsOf([maker("a", []), maker("via", ["a"], "other.md"), maker("b", ["via"])]),
    [],
    "through a step that delivers something else",
  );
  // Both build on "a", which stands between them in the file, and neither on the other.
  assert.deepEqual(problemsOf([maker("left", ["a"]), maker("a", []), maker("right", ["a"])]), [
    {
      step: "right",
      problem: 'it delivers "report.md", and so does "left": let one of them need the other',
    },
  ]);
});

test("G1 each of many pairs is distinguished from the others", () => {
  const steps = Array.from({ length: 400 }, (_, at) => {
    const path = `o${String(at % 200)}.md`;
    // Of every tenth pair the second builds on nothing.
    const needs = at < 200 || at % 10 === 0 ? [] : [`s${String(at - 200)}`];
    return maker(`s${String(at)}`, needs, path);
  });
  assert.deepEqual(
    problemsOf(steps).map(({ step }) => step),
    Array.from({ length: 20 }, (_, at) => `s${String(200 + at * 10)}`),
  );
});

test("G1 looking at ten times the steps that deliver one file looks at about ten times the needs", () => {
  const looksAt = (count: number): number => {
    let looks = 0;
    const steps = Array.from({ length: count }, (_, at) => {
      const step = maker(`s${String(at)}`, []);
      const needs = at === 0 ? [] : [`s${String(at - 1)}`];
      return Object.defineProperty(step, "needs", { enumerable: true, get: () => ((looks += 1), needs) });
    });
    assert.deepEqual(problemsOf(steps), []);
    return looks;
  };
  const [few, many] = [looksAt(300), looksAt(3_000)];
  assert.ok(many / few < 12, `${String(few)} looks at 300 steps, ${String(many)} at 3000`);
});
