import type { AgentSpec, Flow } from "./flow.ts";
import { conditionProblems } from "./flow-conditions.ts";
import { deadEnds, type FlowProblem } from "./flow-dead-ends.ts";

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
    for (const reviewer of step.reviewers ?? [])
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

/** Steps that no order can reach: what is left after removing, again and again, every step without open needs. */
function stepsInCircle(flow: Flow): string[] {
  const open = new Map(flow.steps.map((step) => [step.name, step.needs.length]));
  const dependents = new Map<string, string[]>();
  for (const step of flow.steps)
    for (const need of step.needs) {
      const waiting = dependents.get(need);
      if (waiting === undefined) dependents.set(need, [step.name]);
      else waiting.push(step.name);
    }
  const free = [...open].filter(([, needs]) => needs === 0).map(([name]) => name);
  for (let name = free.pop(); name !== undefined; name = free.pop()) {
    open.delete(name);
    for (const dependent of dependents.get(name) ?? []) {
      const left = (open.get(dependent) ?? 0) - 1;
      open.set(dependent, left);
      if (left === 0) free.push(dependent);
    }
  }
  return [...open.keys()];
}
