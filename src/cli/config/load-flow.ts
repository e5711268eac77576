import path from "node:path";
import { describeIssues, type Issue } from "./describe-issues.ts";
import type { DocumentPlaces } from "./document-places.ts";
import { readDocument, type ReadDocument } from "./read-document.ts";
import { Fault, isFault } from "../../model/fault.ts";
import type { FlowProblem } from "../../model/flow/flow-dead-ends.ts";
import { flowJsonSchema, resolveFlow, writtenFlowSchema, writtenOut } from "../../model/flow/flow-file.ts";
import { limitFindings } from "../../model/flow/flow-limits.ts";
import type { FlowLimits } from "../../model/flow/flow-policies.ts";
import { flowProblems } from "../../model/flow/flow-problems.ts";
import type { AgentSpec, Flow } from "../../model/flow/flow.ts";
import type { Policy } from "../../model/flow/policy.ts";

/** Who does what a flow says nothing about. */
export interface Binding {
  /** Of `--agent`. */
  readonly agent: string | undefined;
  /** The agents of the configuration. */
  readonly configured: readonly string[];
}

/** A flow as its file says it. */
interface WrittenFlow {
  readonly flow: Flow;
  /** Rules of its own. */
  readonly policies: readonly Policy[];
  readonly places: DocumentPlaces;
}

/** A role without an agent is had by the one of its name, or by the one that was asked for, or by the only one. */
const roleBinding =
  ({ agent, configured }: Binding) =>
  (role: string): string | undefined =>
    configured.includes(role) ? role : (agent ?? (configured.length === 1 ? configured[0] : undefined));

/** Reads and checks a flow; steps that name no agent get the one of `--agent`. `module` is what a TypeScript file exports. */
export function readFlow(file: string, binding: Binding, module?: ReadDocument): WrittenFlow {
  const { value: written, places } = module ?? readDocument(file, "the flow");
  const value = withSchemas(writtenOut(written), { file, places, at: [] });
  const checked = writtenFlowSchema.safeParse(value);
  if (!checked.success) throw invalid(file, checked.error.issues, { value, places });
  const { flow, policies, problems } = resolveFlow(checked.data, binding.agent, roleBinding(binding));
  if (problems.length === 0) return { flow, policies, places };
  const issues: Issue[] = problems.map(({ path: at, message }) => ({
    code: "custom" as const,
    path: [...at],
    message,
  }));
  throw invalid(file, issues, { value, places });
}

function invalid(file: string, issues: readonly Issue[], document: ReadDocument): Fault {
  const problems = describeIssues(issues, document, flowJsonSchema());
  const agentMissing = issues.some(
    ({ path: at }) => at.length === 3 && at[2] === "agent" && !isThere(document.value, at),
  );
  const hint = agentMissing ? "; or name one for all steps with --agent" : "";
  return new Fault("config_invalid", `${file} is not a valid flow: ${problems.join("; ")}${hint}`, {
    details: { file, problems },
  });
}

const isThere = (value: unknown, at: readonly PropertyKey[]): boolean => {
  let current: unknown = value;
  for (const part of at)
    current = typeof current === "object" && current !== null ? Reflect.get(current, part) : undefined;
  return current !== undefined;
};

/** Where a part of a flow stands in its file. */
interface Part {
  readonly file: string;
  readonly places: DocumentPlaces;
  readonly at: readonly PropertyKey[];
}

const inside = (part: Part, ...names: readonly PropertyKey[]): Part => ({
  ...part,
  at: [...part.at, ...names],
});

/** An output's schema may stand in a file of its own, named from the flow's folder; it is recorded with the run. */
function withSchemas(value: unknown, part: Part): unknown {
  if (Array.isArray(value)) return value.map((one, index) => withSchemas(one, inside(part, index)));
  if (typeof value !== "object" || value === null) return value;
  const steps =
    "steps" in value && Array.isArray(value.steps)
      ? { steps: withSchemas(value.steps, inside(part, "steps")) }
      : {};
  const outputs =
    "outputs" in value && Array.isArray(value.outputs)
      ? {
          outputs: value.outputs.map((output: unknown, index) =>
            withSchema(output, inside(part, "outputs", index, "schema")),
          ),
        }
      : {};
  return { ...value, ...steps, ...outputs };
}

function withSchema(output: unknown, { file, places, at }: Part): unknown {
  if (typeof output !== "object" || output === null || !("schema" in output)) return output;
  if (typeof output.schema !== "string") return output;
  try {
    const schema = path.resolve(path.dirname(file), output.schema);
    return { ...output, schema: readDocument(schema, "the schema").value };
  } catch (error) {
    const place = places.at(at, "value");
    if (!isFault(error, "config_invalid") || place === undefined) throw error;
    const { message, details } = error;
    throw new Fault("config_invalid", `${file}, ${place}: ${message}`, { cause: error, details });
  }
}

/** What was found in a flow, each with its place in the file. */
export interface Admission {
  /** It cannot run so. */
  readonly problems: readonly string[];
  /** It may well not end so. */
  readonly warnings: readonly string[];
}

/** What a run of the flow would meet, before it is begun: dead ends, and limits that cannot suffice. */
export function admitFlow(
  { flow, places }: { readonly flow: Flow; readonly places: DocumentPlaces },
  agents: Readonly<Record<string, AgentSpec>>,
  limits: FlowLimits,
): Admission {
  const describe = (found: FlowProblem): string =>
    `${placeOf(flow, places, found)}"${found.step}": ${found.problem}`;
  const problems = flowProblems(flow, agents);
  if (problems.length > 0) return { problems: problems.map(describe), warnings: [] };
  const findings = limitFindings(flow, limits, agents);
  return {
    problems: findings.filter(({ sure }) => sure).map(describe),
    warnings: findings.filter(({ sure }) => !sure).map(describe),
  };
}

/** Where the last step or phase of that name stands, and what is meant in it: of two of one name, it is the one too many. */
function placeOf(
  { steps, phases }: Flow,
  places: DocumentPlaces,
  { step: name, at = [] }: FlowProblem,
): string {
  const step = steps.findLastIndex((one) => one.name === name);
  const phase = phases.findLastIndex((one) => one.name === name);
  const whole = step === -1 ? ["phases", phase] : ["steps", step];
  const place = places.at([...whole, ...at], "value") ?? places.at(whole, "value");
  return place === undefined ? "" : `${place}: `;
}
