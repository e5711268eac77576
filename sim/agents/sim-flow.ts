import type { Step } from "../../src/model/flow/flow.ts";
import { PLAN_FILE } from "../../src/model/flow/flow-file.ts";
import type { Condition } from "../../src/model/flow/flow-parts.ts";
import { flowProblems } from "../../src/model/flow/flow-problems.ts";

type Chance = () => number;

/** Gives steps of a random graph authorities, inputs and conditions, so that every way through a flow is gone. */
export function drawFlowParts(steps: readonly Step[], chance: Chance): Step[] {
  const drawn: Step[] = [];
  for (const step of steps) {
    const parts = withParts(step, drawn, chance);
    const agents = Object.fromEntries(
      [...drawn, parts].map(({ agent }) => [agent, { use: "demo" } as const]),
    );
    // What would be a dead end is left as it was.
    const isSound =
      flowProblems({ name: "drawn", steps: [...drawn, parts], phases: [] }, agents).length === 0;
    drawn.push(isSound ? parts : step);
  }
  return drawn;
}

/** Some first steps plan what comes beside. */
export function drawPlanner(steps: readonly Step[], chance: Chance): Step[] {
  const [first, ...others] = steps;
  if (first === undefined || chance() >= 0.3) return [...steps];
  return [{ ...first, plans: {}, outputs: [{ path: PLAN_FILE }] }, ...others];
}

/** What a simulated planner writes: mostly a few steps that need each other, sometimes nonsense. */
export function drawPlan(chance: Chance, nth: number): unknown {
  if (chance() < 0.2)
    return chance() < 0.5 ? { steps: [] } : { steps: [{ name: "x", task: "t", needs: ["nobody"] }] };
  const names = Array.from(
    { length: 1 + Math.floor(chance() * 3) },
    (_, at) => `p${String(nth)}.${String(at)}`,
  );
  return {
    steps: names.map((name, at) => ({
      name,
      task: "planned",
      needs: names.slice(0, at).filter(() => chance() < 0.5),
    })),
  };
}

function withParts(step: Step, before: readonly Step[], chance: Chance): Step {
  const needed = before.filter(({ name }) => step.needs.includes(name));
  const authority = before.length > 0 && step.outputs === undefined && chance() < 0.3 ? "reviews" : "writes";
  const onSkipped = chance() < 0.4 ? ({ onSkipped: "run" } as const) : {};
  const when = needed.filter(() => chance() < 0.3).map((need) => drawCondition(need, chance));
  const inputs = needed
    .filter(() => chance() < 0.5)
    .flatMap(({ name, outputs }) =>
      (outputs ?? []).map(({ path }) => ({ step: name, output: path, optional: true })),
    );
  return {
    ...step,
    authority,
    ...onSkipped,
    ...(when.length === 0 ? {} : { when }),
    ...(inputs.length === 0 ? {} : { inputs }),
  };
}

function drawCondition({ name, outputs, checks }: Step, chance: Chance): Condition {
  const [output] = outputs ?? [];
  if (output !== undefined && chance() < 0.7)
    return { step: name, output: output.path, at: "/ready", equals: chance() < 0.5 };
  if (checks.length > 0 && chance() < 0.5) return { step: name, verdict: chance() < 0.7 ? "pass" : "fail" };
  const roll = chance();
  return { step: name, status: roll < 0.5 ? "succeeded" : roll < 0.8 ? "failed" : "skipped" };
}
