import { z } from "zod";
import { AGENT_KINDS } from "./agent-kinds.ts";
import { outputSchema } from "./artifact.ts";
import { nameSchema } from "./ids.ts";

/** How an agent is started. Which keys matter depends on `use`; a driver checks its own. */
export const agentSpecSchema = z.strictObject({
  use: z.enum(AGENT_KINDS).describe("the driver"),
  script: z.string().optional().describe("demo: a bundled script's name or a path to a script file"),
  module: z.string().optional().describe("function: path of the module that exports the agent"),
  export: z.string().optional().describe("function: name of the export, `default` if not given"),
  command: z
    .array(z.string())
    .min(1)
    .optional()
    .describe("acp, tmux: the program and its arguments; elsewhere: instead of the agent's own program"),
  args: z.array(z.string()).optional().describe("arguments added to the agent's own"),
  model: z.string().min(1).optional().describe("the model it is to use"),
  account: nameSchema
    .optional()
    .describe("whose limits it meets, by any name; agents of one name share what is known of them"),
  env: z
    .record(z.string(), z.string())
    .optional()
    .describe("added to its environment; recorded, so no secrets"),
  inherit: z
    .array(z.string().min(1))
    .optional()
    .describe(
      "names (or beginnings with *) of the only variables it inherits; usual: all but Holdfast's own",
    ),
  prompt: z.string().optional().describe("tmux: a regular expression for its prompt when it is idle"),
  compact: z
    .string()
    .min(1)
    .optional()
    .describe("acp, tmux: what it is told to make room in its context, such as /compact"),
  permissions: z
    .enum(["ask", "allow", "deny"])
    .optional()
    .describe("what becomes of its requests for permission: a person is asked (usual), or always the same"),
});
export type AgentSpec = z.infer<typeof agentSpecSchema>;

export const AUTHORITIES = ["writes", "proposes", "reviews"] as const;

/** A command that Holdfast itself runs after an attempt; its exit code is the evidence. */
export const checkSchema = z.strictObject({
  run: z.string().min(1).describe("a shell command; exit code 0 passes"),
  limitMs: z.number().int().min(1).optional().describe("time it may take"),
});

export const stepSchema = z.strictObject({
  name: nameSchema,
  /** What the agent is told to do. */
  task: z.string().min(1),
  agent: nameSchema,
  /** Who takes it over when that agent is stuck and cannot be helped. */
  nextAgent: nameSchema.optional(),
  needs: z.array(nameSchema).default([]),
  phase: nameSchema.optional(),
  authority: z.enum(AUTHORITIES).default("writes"),
  attemptsMax: z.number().int().min(1).max(10).optional(),
  limitMs: z.number().int().min(1).optional(),
  checks: z.array(checkSchema).max(32).default([]),
  outputs: z
    .array(outputSchema)
    .max(32)
    .optional()
    .describe("files that the step must deliver; later steps that need it get exactly these bytes"),
});
export type Step = z.infer<typeof stepSchema>;

export const phaseSchema = z.strictObject({
  name: nameSchema,
  gate: z.strictObject({ name: nameSchema, kind: z.enum(["approval", "evidence"]) }).optional(),
});

export const flowSchema = z.strictObject({
  name: nameSchema,
  steps: z.array(stepSchema).min(1),
  phases: z.array(phaseSchema).default([]),
});
export type Flow = z.infer<typeof flowSchema>;

export const flowJsonSchema = (): unknown => z.toJSONSchema(flowSchema, { io: "input" });

/** Ceilings of a run; an absent one is unlimited. */
export const budgetSchema = z.strictObject({
  usd: z.number().positive().optional(),
  tokens: z.number().int().positive().optional(),
  iterations: z.number().int().positive().optional(),
  timeMs: z.number().int().positive().optional(),
});
export type Budget = z.infer<typeof budgetSchema>;

export interface FlowProblem {
  readonly step: string;
  readonly problem: string;
}

/** Problems that would leave a step for ever unready: a doubled name, an unknown need or agent, a circle. */
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
    if (step.nextAgent !== undefined && !Object.hasOwn(agents, step.nextAgent))
      problems.push({ step: step.name, problem: `its next agent "${step.nextAgent}" is not configured` });
    for (const need of step.needs)
      if (!names.has(need))
        problems.push({ step: step.name, problem: `it needs "${need}", which is no step` });
  }
  const circle = problems.length === 0 ? stepsInCircle(flow) : [];
  for (const step of circle)
    problems.push({ step, problem: `it waits for itself: the needs of ${circle.join(", ")} form a circle` });
  return problems;
}

const doubled = (paths: readonly string[]): string[] => [
  ...new Set(paths.filter((path, at) => paths.indexOf(path) !== at)),
];

/** Steps that no order can reach: what is left after removing, again and again, every step without open needs. */
function stepsInCircle(flow: Flow): string[] {
  const open = new Map(flow.steps.map((step) => [step.name, step.needs.length]));
  const dependents = new Map<string, string[]>();
  for (const step of flow.steps)
    for (const need of step.needs) dependents.set(need, [...(dependents.get(need) ?? []), step.name]);
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
