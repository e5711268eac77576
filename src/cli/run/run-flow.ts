import { Fault } from "../../model/fault.ts";
import { flowSchema, type Flow } from "../../model/flow/flow.ts";
import { detectCheck } from "./detect-check.ts";
import { resolveFlow, writtenFlowSchema } from "../../model/flow/flow-file.ts";

/** In a check of a flow: what `--check` says, or the tests of the project. */
const CHECK = "{check}";

interface Wished {
  /** What `--check` names. */
  readonly commands: readonly string[];
  readonly cwd: string;
  readonly warn?: ((text: string) => void) | undefined;
}

/**
 * Commands that must pass: where the flow leaves its checks open, and otherwise for every step that names none of its
 * own.
 */
export function withChecks(written: Flow, { commands, cwd, warn }: Wished): Flow {
  const empty = commands.find((command) => command.trim() === "");
  if (empty !== undefined)
    throw new Fault("usage", `--check "${empty}" is no command; expected one such as --check "npm test"`);
  if (leavesChecksOpen(written)) return withOpenChecks(written, { commands, cwd, warn });
  if (commands.length === 0) return written;
  const checks = commands.map((run) => ({ run }));
  const steps = written.steps.map((step) => {
    // What is planned is checked, not the plan.
    if (step.plans !== undefined)
      return { ...step, plans: { ...step.plans, checks: [...checks, ...(step.plans.checks ?? [])] } };
    return step.checks.length > 0 ? step : { ...step, checks };
  });
  return { ...written, steps };
}

type Check = Flow["steps"][number]["checks"][number];

const isOpen = ({ run }: Check): boolean => run === CHECK;

const openSteps = ({ steps }: Flow): string[] =>
  steps.flatMap(({ name, checks }) => (checks.some(isOpen) ? [name] : []));

const openGates = ({ phases }: Flow): string[] =>
  phases.flatMap(({ gate }) => (gate?.checks?.some(isOpen) === true ? [gate.name] : []));

/** Whether the flow says itself where the tests of the project belong. */
export const leavesChecksOpen = (flow: Flow): boolean => openSteps(flow).length + openGates(flow).length > 0;

/** A check that is left open is as many as were named. A step is never done without one; a gate may have others. */
function withOpenChecks(flow: Flow, { commands, cwd, warn }: Wished): Flow {
  const found = commands.length > 0 ? commands : [detectCheck(cwd)].filter((one) => one !== null);
  const [open] = openSteps(flow);
  if (found.length === 0 && open !== undefined)
    throw new Fault(
      "usage",
      `the step "${open}" of the flow ${flow.name} is done when ${CHECK} passes, and no tests were found in ${cwd}; expected --check COMMAND such as --check "npm test"`,
    );
  if (found.length === 0)
    warn?.(
      `no tests were found in ${cwd}: the gates ${openGates(flow).join(", ")} of the flow ${flow.name} run none; name them with --check COMMAND`,
    );
  const named = (checks: readonly Check[]): Check[] =>
    checks.flatMap((check) => (isOpen(check) ? found.map((run) => ({ ...check, run })) : [check]));
  const phases = flow.phases.map((phase) =>
    phase.gate?.checks === undefined
      ? phase
      : { ...phase, gate: { ...phase.gate, checks: named(phase.gate.checks) } },
  );
  return {
    ...flow,
    steps: flow.steps.map((step) => ({ ...step, checks: named(step.checks) })),
    phases,
  };
}

/** An agent that must accept the work of every step that writes and names no reviewers of its own. */
export const withReviewer = (flow: Flow, reviewer: string | undefined): Flow =>
  reviewer === undefined
    ? flow
    : {
        ...flow,
        steps: flow.steps.map((step) => {
          if (step.plans !== undefined)
            return {
              ...step,
              plans: { ...step.plans, reviewers: [reviewer, ...(step.plans.reviewers ?? [])] },
            };
          return step.reviewers !== undefined || step.authority !== "writes"
            ? step
            : { ...step, reviewers: [reviewer] };
        }),
      };

/** `{goal}` in a task stands for the goal, so that a flow is good for many. */
export function withGoal(flow: Flow, goal: string | undefined): Flow {
  const steps = flow.steps.map((step) => {
    if (!step.task.includes("{goal}")) return step;
    if (goal === undefined || goal.trim() === "")
      throw new Fault(
        "usage",
        `the step "${step.name}" of the flow ${flow.name} is about {goal}, and there is none; expected a GOAL such as "fix the failing tests" before --flow`,
      );
    return { ...step, task: step.task.replaceAll("{goal}", () => goal) };
  });
  return { ...flow, steps };
}

/** Without a flow there must be something to work on. */
export function neededGoal(goal: string | undefined): string {
  if (goal !== undefined && goal.trim() !== "") return goal;
  throw new Fault(
    "usage",
    'there is nothing to work on; expected a GOAL such as "fix the failing tests", or --flow FILE',
  );
}

/** With only a goal: one step that receives the goal. */
export function goalFlow(wanted: string | undefined, agent: string | undefined, planner?: string): Flow {
  const goal = neededGoal(wanted);
  if (planner !== undefined) {
    const plans = { agents: [agent ?? planner] };
    const task = `Plan how this goal is reached:\n${goal}`;
    const step = { name: "plan", task, agent: planner, authority: "proposes", plans };
    return resolveFlow(writtenFlowSchema.parse({ name: "goal", steps: [step] })).flow;
  }
  return flowSchema.parse({ name: "goal", steps: [{ name: "work", task: goal, agent }] });
}
