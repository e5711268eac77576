import { deadEnds, type FlowProblem } from "./flow-dead-ends.ts";
import { inOrder } from "./flow-order.ts";
import type { Condition } from "./flow-parts.ts";
import type { AgentSpec, Flow, Step } from "./flow.ts";

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

/** Inputs that nobody delivers and conditions that can never hold. Costs steps, edges and conditions. */
function conditionProblems({ steps }: Flow): FlowProblem[] {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const skippable = mayBeSkipped(steps);
  return steps.flatMap((step) =>
    [...inputTexts(step, byName, skippable), ...whenTexts(step, byName, skippable)].map((problem) => ({
      step: step.name,
      problem,
    })),
  );
}

type ByName = ReadonlyMap<string, Step>;

/** Steps with a condition, and those that are skipped together with one. */
function mayBeSkipped(steps: readonly Step[]): ReadonlySet<string> {
  const followers = new Map<string, string[]>();
  for (const { name, needs, onSkipped } of steps)
    for (const need of onSkipped === "run" ? [] : needs) {
      const before = followers.get(need);
      if (before === undefined) followers.set(need, [name]);
      else before.push(name);
    }
  const found = new Set<string>();
  const open = steps.filter(({ when }) => when !== undefined).map(({ name }) => name);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...(followers.get(name) ?? []));
  }
  return found;
}

const delivers = (step: Step | undefined, output: string): boolean =>
  (step?.outputs ?? []).some(({ path }) => path === output);

function inputTexts(step: Step, byName: ByName, skippable: ReadonlySet<string>): string[] {
  return (step.inputs ?? []).flatMap(({ step: from, output, optional }) => {
    const source = byName.get(from);
    if (source === undefined) return [`its input "${output}" is to come from "${from}", which is no step`];
    if (!delivers(source, output))
      return [`its input "${output}" is delivered by nobody: "${from}" does not declare it as an output`];
    if (!step.needs.includes(from)) return [`its input "${output}" is of "${from}", which it does not need`];
    const begins = step.onSkipped === "run" || mentionsEnd(step, from);
    if (optional !== true && begins && (skippable.has(from) || mentionsEnd(step, from)))
      return [
        `its input "${output}" is missing where "${from}" is skipped or fails; make it optional, or let the step be skipped too`,
      ];
    return [];
  });
}

/** Whether the step begins although that one failed or was skipped. */
const mentionsEnd = ({ when }: Step, name: string): boolean =>
  (when ?? []).some(
    ({ step, status, verdict }) =>
      step === name && (status === "failed" || status === "skipped" || verdict === "fail"),
  );

function whenTexts(step: Step, byName: ByName, skippable: ReadonlySet<string>): string[] {
  const conditions = step.when ?? [];
  return [
    ...conditions.flatMap((condition) => whenText(step, condition, byName, skippable)),
    ...contradictions(conditions),
  ];
}

function whenText(
  { needs, name }: Step,
  { step, status, verdict, output, above, below }: Condition,
  byName: ByName,
  skippable: ReadonlySet<string>,
): string[] {
  const never = "its condition can never hold";
  const of = byName.get(step);
  if (of === undefined) return [`its condition is about "${step}", which is no step`];
  if (step === name || !needs.includes(step))
    return [`its condition is about "${step}", which it does not need`];
  if (status === "skipped" && !skippable.has(step)) return [`${never}: "${step}" is never skipped`];
  if (verdict !== undefined && of.checks.length === 0) return [`${never}: "${step}" has no checks`];
  if (output !== undefined && !delivers(of, output))
    return [`${never}: "${step}" does not declare the output "${output}"`];
  if (above !== undefined && below !== undefined && above >= below)
    return [`${never}: no number is above ${String(above)} and below ${String(below)}`];
  return [];
}

/** How a step must have ended, as far as a condition says. */
const endOf = ({ status, verdict, output }: Condition): string | null =>
  status ?? (verdict === "fail" ? "failed" : verdict === "pass" || output !== undefined ? "succeeded" : null);

function contradictions(conditions: readonly Condition[]): string[] {
  const ends = new Map<string, string>();
  const values = new Map<string, string>();
  return conditions.flatMap((condition) => {
    const { step, output, at = "", equals } = condition;
    const end = endOf(condition);
    const before = ends.get(step);
    if (end !== null) ends.set(step, end);
    if (end !== null && before !== undefined && before !== end)
      return [`its conditions can never hold together: "${step}" would have ${before} and ${end}`];
    if (output === undefined || equals === undefined) return [];
    const key = JSON.stringify([step, output, at]);
    const value = JSON.stringify(equals);
    const other = values.get(key);
    values.set(key, value);
    return other === undefined || other === value
      ? []
      : [`its conditions can never hold together: "${output}" would be ${other} and ${value} at "${at}"`];
  });
}
