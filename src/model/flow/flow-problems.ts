import type { AgentSpec, Flow } from "./flow.ts";
import { conditionProblems } from "./flow-conditions.ts";
import { deadEnds, type FlowProblem } from "./flow-dead-ends.ts";
import { inOrder } from "./flow-order.ts";

/**
 * What would keep a flow from ever ending as it should: a doubled name, an unknown need or agent, a circle, and where
 * those are right, the dead ends that its phases, authorities and outputs would lead to.
 */
export function flowProblems(flow: Flow, agents: Readonly<Record<string, AgentSpec>>): FlowProblem[] {
  const problems: FlowProblem[] = [];
  const names = new Set<string>();
  for (const { name } of flow.steps) {
    if (names.has(name)) problems.push({ step: name, problem: `the name "${name}" is used by two steps` });
    names.add(name);
  }
  for (const step of flow.steps) {
    if (!Object.hasOwn(agents, step.agent))
      problems.push({ step: step.name, problem: `its agent "${step.agent}" is not configured` });
    for (const path of doubled((step.outputs ?? []).map((output) => output.path)))
      problems.push({ step: step.name, problem: `its output "${path}" is declared twice` });
    for (const reviewer of [...(step.reviewers ?? []), ...(step.plans?.reviewers ?? [])])
      if (!Object.hasOwn(agents, reviewer))
        problems.push({ step: step.name, problem: `its reviewer "${reviewer}" is not configured` });
    if (step.nextAgent !== undefined && !Object.hasOwn(agents, step.nextAgent))
      problems.push({ step: step.name, problem: `its next agent "${step.nextAgent}" is not configured` });
    for (const agent of step.plans?.agents ?? [])
      if (!Object.hasOwn(agents, agent))
        problems.push({ step: step.name, problem: `the agent "${agent}" of its plans is not configured` });
    for (const need of step.needs)
      if (!names.has(need))
        problems.push({ step: step.name, problem: `it needs "${need}", which is no step` });
  }
  const circle = problems.length === 0 ? stepsInCircle(flow) : [];
  for (const step of circle)
    problems.push({ step, problem: `it waits for itself: the needs of ${circle.join(", ")} form a circle` });
  return problems.length === 0 ? [...deadEnds(flow), ...conditionProblems(flow)] : problems;
}

const doubled = (paths: readonly string[]): string[] => [
  ...new Set(paths.filter((path, at) => paths.indexOf(path) !== at)),
];

/** Steps that no order can reach. */
function stepsInCircle({ steps }: Flow): string[] {
  const reached = new Set(inOrder(steps));
  return steps.map(({ name }) => name).filter((name) => !reached.has(name));
}
