import { z } from "zod";
import { deliverersOf, resolveStep, stepWrittenOut, writtenStepSchema } from "./flow-file.ts";
import { flowProblems } from "./flow-problems.ts";
import type { AgentSpec, Flow, Step } from "./flow.ts";

const ANY = "*";

/** The commands of planned steps that are not among those somebody has written or allowed: an agent thought of them. */
export function unknownCommands(steps: readonly Step[], known: ReadonlySet<string>): string[] {
  if (known.has(ANY)) return [];
  const named = steps.flatMap(({ checks }) => checks.map(({ run }) => run));
  return [...new Set(named)].filter((command) => !known.has(command));
}

const SHOWN = 20;
const CHARS = 300;

/** For a person to review: what is cut says so, and characters that would hide something are shown as such. */
export function commandsText(commands: readonly string[]): string {
  const shown = commands.slice(0, SHOWN).map((command) => {
    const cut = command.length > CHARS ? ` … (${String(command.length)} characters)` : "";
    return `${JSON.stringify(command.slice(0, CHARS))}${cut}`;
  });
  const more = commands.length > SHOWN ? `; and ${String(commands.length - SHOWN)} more` : "";
  return `${shown.join("; ")}${more}`;
}

const plannedStepSchema = writtenStepSchema.omit({ phase: true, plans: true });

const planSchema = z.strictObject({
  steps: z.array(plannedStepSchema).min(1).describe("what is to be done, in any order"),
});

export const planJsonSchema = (): unknown => z.toJSONSchema(planSchema, { io: "input" });

export interface PlanOrder {
  /** The step that plans. */
  readonly planner: Step;
  /** The steps of the run as they are. */
  readonly steps: readonly Step[];
  /** Those of them that it has planned before. */
  readonly planned: ReadonlySet<string>;
  /** Names that are taken by steps which are not to be done any more. */
  readonly taken: ReadonlySet<string>;
  readonly flow: Omit<Flow, "steps">;
  readonly agents: Readonly<Record<string, AgentSpec>>;
  readonly stepsMax: number;
}

/** The steps that a plan adds to a run, or everything that is wrong with it. */
export function readPlan(value: unknown, order: PlanOrder): { steps: Step[]; problems: string[] } {
  const written = planSchema.safeParse(wholePlan(value));
  if (!written.success)
    return {
      steps: [],
      problems: written.error.issues.map(({ path, message }) => `${path.map(String).join(".")}: ${message}`),
    };
  const { planner, flow } = order;
  const problems: string[] = [];
  const allowed = planner.plans?.agents ?? [planner.agent];
  const resolving = {
    roles: flow.roles,
    agent: allowed[0],
    deliverers: deliverersOf([...order.steps, ...written.data.steps]),
  };
  const steps = written.data.steps.map((step, index) => {
    const resolved = resolveStep(step, resolving, (path, message) =>
      problems.push(`steps.${[index, ...path].map(String).join(".")}: ${message}`),
    );
    return placed(resolved, planner);
  });
  for (const { name, agent, role } of steps) {
    if (order.taken.has(name)) problems.push(`"${name}": an earlier plan has used this name; choose another`);
    if (role === undefined && !allowed.includes(agent))
      problems.push(
        `"${name}": its agent "${agent}" may not be planned with; choose from ${allowed.join(", ")}`,
      );
  }
  if (steps.length > order.stepsMax)
    problems.push(`it has ${String(steps.length)} steps; at most ${String(order.stepsMax)} are allowed`);
  return { steps, problems: problems.length > 0 ? problems : admission(steps, order) };
}

/**
 * Planned steps come after the step that planned them and in its phase. A plan may add to the checks and reviewers that
 * were demanded of it; it cannot replace them.
 */
function placed(step: Step, { name, phase, plans }: Step): Step {
  const demanded = plans?.checks ?? [];
  const own = step.checks.filter(({ run }) => !demanded.some((check) => check.run === run));
  const reviewers = step.authority === "writes" ? (plans?.reviewers ?? []) : [];
  const all = [...new Set([...reviewers, ...(step.reviewers ?? [])])];
  return {
    ...step,
    needs: step.needs.includes(name) ? step.needs : [name, ...step.needs],
    checks: [...demanded, ...own].slice(0, 32),
    ...(all.length === 0 ? {} : { reviewers: all.slice(0, 8) }),
    ...(phase === undefined ? {} : { phase }),
  };
}

const wholePlan = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "steps" in value && Array.isArray(value.steps)
    ? { ...value, steps: value.steps.map(stepWrittenOut) }
    : value;

/** What would keep the run from ever ending, with the planned steps in it and others waiting for them. */
function admission(steps: readonly Step[], order: PlanOrder): string[] {
  const { planner, planned, flow, agents } = order;
  const names = steps.map(({ name }) => name);
  const others = order.steps.map((step) =>
    !planned.has(step.name) && step.needs.includes(planner.name)
      ? { ...step, needs: [...step.needs, ...names] }
      : step,
  );
  const wrongWith = (all: readonly Step[]): string[] =>
    flowProblems({ ...flow, steps: [...all] }, agents).map(({ step, problem }) => `"${step}": ${problem}`);
  // What cannot be any more by what is done already, such as a condition on how it ends, is no fault of the plan.
  const before = new Set(wrongWith(order.steps));
  return wrongWith([...others, ...steps]).filter((problem) => !before.has(problem));
}
