import { z } from "zod";
import { flowSchema, stepSchema, type Flow, type Step } from "./flow.ts";
import { AUTHORITIES, inputSchema, roleSchema } from "./flow-parts.ts";
import { nameSchema } from "../ids.ts";
import { policyProblems, type PlacedProblem } from "./written-policies.ts";
import { policySchema, type Policy } from "./policy.ts";

/** A step as people and planners write it: what follows from elsewhere may be left out. */
export const writtenStepSchema = stepSchema.extend({
  agent: nameSchema.optional().describe("the agent that does it"),
  authority: z
    .enum(AUTHORITIES)
    .optional()
    .describe(
      "writes (default); proposes: in a copy, for somebody to apply; reviews: what it changes is put back",
    ),
  inputs: z
    .array(inputSchema.extend({ step: inputSchema.shape.step.optional() }))
    .max(64)
    .optional()
    .describe(
      "outputs of earlier steps that it is given, and no others; default: all of the steps it builds on",
    ),
});
type WrittenStep = z.infer<typeof writtenStepSchema>;

/** Where a step that plans delivers its plan. */
export const PLAN_FILE = "plan.json";

/** What is handed on by other runs is named by digest: nobody writes that. */
const { shape } = flowSchema.omit({ handed: true });

export const writtenFlowSchema = z.strictObject({
  ...shape,
  roles: z
    .record(nameSchema, roleSchema)
    .optional()
    .describe("who does steps: by name, an agent and what it may do"),
  steps: z.array(writtenStepSchema).min(1).describe("what is to be done, in any order"),
  policies: z
    .array(policySchema)
    .max(100)
    .optional()
    .describe("rules about what a run of it may do, beside those of the configuration"),
});
type WrittenFlow = z.infer<typeof writtenFlowSchema>;

/** Shorthands are written out: an input or output by its path alone, one condition without a list. */
export function writtenOut(value: unknown): unknown {
  if (!isMapping(value) || !Array.isArray(value["steps"])) return value;
  return { ...value, steps: value["steps"].map(stepWrittenOut) };
}

export function stepWrittenOut(step: unknown): unknown {
  if (!isMapping(step)) return step;
  const { inputs, outputs, when } = step;
  return {
    ...step,
    ...(Array.isArray(inputs) ? { inputs: inputs.map((one: unknown) => textAs("output", one)) } : {}),
    ...(Array.isArray(outputs) ? { outputs: outputs.map((one: unknown) => textAs("path", one)) } : {}),
    ...(isMapping(when) ? { when: [when] } : {}),
  };
}

const textAs = (key: string, one: unknown): unknown => (typeof one === "string" ? { [key]: one } : one);

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The schema of a flow's file, shorthands included. */
export function flowJsonSchema(): unknown {
  return withShorthands(z.toJSONSchema(writtenFlowSchema, { io: "input" }));
}

type Node = Record<string, unknown>;

function withShorthands(schema: unknown): unknown {
  const step = at(schema, ["properties", "steps", "items", "properties"]);
  const short = (name: string): void => {
    const list = step?.[name];
    if (isMapping(list)) list["items"] = { anyOf: [{ type: "string" }, list["items"]] };
  };
  short("inputs");
  short("outputs");
  const when = step?.["when"];
  if (step !== undefined && isMapping(when)) step["when"] = { anyOf: [at(when, ["items"]), when] };
  return schema;
}

function at(node: unknown, path: readonly string[]): Node | undefined {
  let current: unknown = node;
  for (const part of path) current = isMapping(current) ? current[part] : undefined;
  return isMapping(current) ? current : undefined;
}

interface Resolving {
  readonly roles?: WrittenFlow["roles"];
  /** For steps that name neither agent nor role. */
  readonly agent?: string | undefined;
  /** For roles that name no agent. */
  readonly agentOf?: ((role: string) => string | undefined) | undefined;
  /** Which of these steps deliver an output of that path. */
  readonly deliverers: (output: string) => readonly string[];
}

/** Which steps deliver what. */
export function deliverersOf(
  steps: readonly Pick<WrittenStep, "name" | "outputs">[],
): Resolving["deliverers"] {
  const makers = new Map<string, string[]>();
  for (const { name, outputs } of steps)
    for (const { path } of outputs ?? []) {
      const before = makers.get(path);
      if (before === undefined) makers.set(path, [name]);
      else before.push(name);
    }
  return (output) => makers.get(output) ?? [];
}

/** A flow with everything said that follows from what is written: agents, authorities, and what is needed. */
export function resolveFlow(
  written: WrittenFlow,
  agent?: string,
  agentOf?: (role: string) => string | undefined,
): {
  readonly flow: Flow;
  readonly policies: readonly Policy[];
  readonly problems: readonly PlacedProblem[];
} {
  const { roles, policies = [], ...rest } = written;
  const problems: PlacedProblem[] = policyProblems(policies, written);
  const resolving = { roles, agent, agentOf, deliverers: deliverersOf(written.steps) };
  const steps = written.steps.map((step, index) =>
    resolveStep(step, resolving, (path, message) =>
      problems.push({ path: ["steps", index, ...path], message }),
    ),
  );
  return { flow: { ...rest, ...(roles === undefined ? {} : { roles }), steps }, policies, problems };
}

type Say = (path: readonly PropertyKey[], message: string) => void;

export function resolveStep(written: WrittenStep, resolving: Resolving, say: Say): Step {
  const { role, agent, authority, inputs, ...rest } = written;
  const given = role === undefined ? undefined : resolving.roles?.[role];
  if (role !== undefined && given === undefined)
    say(["role"], `expected one of the flow's roles: ${named(Object.keys(resolving.roles ?? {}))}`);
  if (role !== undefined && agent !== undefined)
    say(["agent"], `the role "${role}" says who does it; keep one of agent and role`);
  const bound = role === undefined ? resolving.agent : (resolving.agentOf?.(role) ?? resolving.agent);
  const worker = agent ?? given?.agent ?? (role !== undefined && given === undefined ? undefined : bound);
  if (worker === undefined && role !== undefined && given !== undefined)
    say(
      ["role"],
      `nobody has the role "${role}"; expected an agent of that name in the configuration's agents, or one for all roles with --agent`,
    );
  if (worker === undefined && role === undefined) say(["agent"], "expected the name of an agent, or a role");
  const delivered = inputs?.map((input, index) => ({
    ...input,
    step: input.step ?? delivererOf(input.output, resolving, (text) => say(["inputs", index], text)),
  }));
  const more = [...(delivered ?? []), ...(written.when ?? [])].map(({ step }) => step);
  return {
    ...rest,
    ...(role === undefined ? {} : { role }),
    ...(delivered === undefined ? {} : { inputs: delivered }),
    agent: worker ?? "",
    authority: authority ?? given?.authority ?? "writes",
    ...(written.plans === undefined ? {} : { outputs: withPlan(written.outputs) }),
    needs: more.length === 0 ? written.needs : [...new Set([...written.needs, ...more])],
  };
}

/** A step that plans delivers its plan. */
const withPlan = (outputs: WrittenStep["outputs"] = []): WrittenStep["outputs"] =>
  outputs.some(({ path }) => path === PLAN_FILE) ? outputs : [...outputs, { path: PLAN_FILE }];

function delivererOf(output: string, { deliverers }: Resolving, say: (text: string) => void): string {
  const [only, ...others] = deliverers(output);
  if (only === undefined)
    say(`no step delivers "${output}"; expected an output that an earlier step declares`);
  if (others.length > 0)
    say(
      `${named([only ?? "", ...others])} deliver "${output}"; say whose it is meant: { step: …, output: ${output} }`,
    );
  return only ?? "";
}

const named = (names: readonly string[]): string => names.join(", ") || "there are none";
