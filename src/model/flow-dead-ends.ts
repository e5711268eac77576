import type { Flow, Step } from "./flow.ts";
import { gateProblems } from "./flow-gates.ts";

export interface FlowProblem {
  /** The step it concerns; of a phase, its name. */
  readonly step: string;
  readonly problem: string;
}

/** Ways into a state that nobody could leave, in a flow whose names and needs are right. Costs steps and edges. */
export const deadEnds = (flow: Flow): FlowProblem[] => [
  ...phaseProblems(flow),
  ...authorityProblems(flow),
  ...outputProblems(flow),
  ...gateProblems(flow),
];

/** Phases come one after the other: what waits for a later one waits for itself. */
function phaseProblems({ steps, phases }: Flow): FlowProblem[] {
  const order = new Map<string, number>();
  const problems: FlowProblem[] = [];
  for (const [index, { name }] of phases.entries()) {
    if (order.has(name)) problems.push({ step: name, problem: `the phase "${name}" is declared twice` });
    order.set(name, index);
  }
  const phaseOf = new Map(steps.map(({ name, phase }) => [name, phase]));
  const known = [...order.keys()];
  for (const { name, phase, needs } of steps) {
    if (phase === undefined) continue;
    const own = order.get(phase);
    if (own === undefined) {
      const there = known.length === 0 ? "the flow declares none" : `those there are: ${known.join(", ")}`;
      problems.push({ step: name, problem: `its phase "${phase}" is not declared; ${there}` });
      continue;
    }
    for (const need of needs) {
      const other = phaseOf.get(need);
      if (other !== undefined && (order.get(other) ?? -1) > own)
        problems.push({
          step: name,
          problem: `it needs "${need}" of the later phase "${other}", which begins only when "${phase}" is over`,
        });
    }
  }
  const used = new Set(steps.map(({ phase }) => phase));
  for (const { name, gate } of phases)
    if (gate !== undefined && !used.has(name))
      problems.push({
        step: name,
        problem: `the phase "${name}" has the gate "${gate.name}" and no step: nothing could ever open it`,
      });
  return problems;
}

/** Somebody must be allowed to write what others review, and a reviewer has nothing to deliver. */
function authorityProblems({ steps }: Flow): FlowProblem[] {
  const reviewers = steps.filter(({ authority }) => authority === "reviews");
  const problems = reviewers.flatMap(({ name, outputs }): FlowProblem[] => {
    const [output] = outputs ?? [];
    if (output === undefined) return [];
    const problem = `it is to deliver "${output.path}" and only reviews: give it the authority to write, or the output to a step that has it`;
    return [{ step: name, problem }];
  });
  const [first] = reviewers;
  if (first !== undefined && reviewers.length === steps.length)
    problems.push({
      step: first.name,
      problem: "every step only reviews: no step of the flow may write what there would be to review",
    });
  return problems;
}

/** Of two steps that deliver one file, one must build on the other: otherwise chance decides whose it is. */
function outputProblems({ steps }: Flow): FlowProblem[] {
  const makers = new Map<string, Step[]>();
  for (const step of steps)
    for (const { path } of step.outputs ?? []) {
      const before = makers.get(path);
      if (before === undefined) makers.set(path, [step]);
      else before.push(step);
    }
  const byName = new Map(steps.map((step) => [step.name, step]));
  return [...makers].flatMap(([path, sharing]) =>
    sharing.slice(1).flatMap((later, index): FlowProblem[] => {
      const earlier = sharing[index];
      if (earlier === undefined || buildsOn(byName, later, earlier) || buildsOn(byName, earlier, later))
        return [];
      const problem = `it delivers "${path}", and so does "${earlier.name}": let one of them need the other`;
      return [{ step: later.name, problem }];
    }),
  );
}

function buildsOn(byName: ReadonlyMap<string, Step>, step: Step, on: Step): boolean {
  const seen = new Set<string>();
  const open = [...step.needs];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === on.name) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    open.push(...(byName.get(name)?.needs ?? []));
  }
  return false;
}
