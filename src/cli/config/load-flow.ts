import path from "node:path";
import { flowJsonSchema, flowSchema, type Flow } from "../../model/flow.ts";
import { Fault } from "../../model/fault.ts";
import { describeIssues } from "./describe-issues.ts";
import type { DocumentPlaces } from "./document-places.ts";
import { readDocument } from "./read-document.ts";

/** Reads and checks a flow. Steps that name no agent get the one of `--agent`. */
export function loadFlow(file: string, defaultAgent: string | undefined): Flow {
  return readFlow(file, defaultAgent).flow;
}

/** A flow, and where its parts stand in its file. */
export function readFlow(
  file: string,
  defaultAgent: string | undefined,
): { readonly flow: Flow; readonly places: DocumentPlaces } {
  const { value: written, places } = readDocument(file, "the flow");
  const value = withSchemas(withAgent(written, defaultAgent), path.dirname(file));
  const checked = flowSchema.safeParse(value);
  if (checked.success) return { flow: checked.data, places };
  const problems = describeIssues(checked.error.issues, { value, places }, flowJsonSchema());
  const agentMissing = checked.error.issues.some(({ path }) => path.length === 3 && path[2] === "agent");
  const hint = agentMissing ? "; or name one for all steps with --agent" : "";
  throw new Fault("config_invalid", `${file} is not a valid flow: ${problems.join("; ")}${hint}`, {
    details: { file, problems },
  });
}

function withAgent(value: unknown, agent: string | undefined): unknown {
  if (agent === undefined || typeof value !== "object" || value === null || !("steps" in value)) return value;
  if (!Array.isArray(value.steps)) return value;
  const steps = value.steps.map((step: unknown) =>
    typeof step === "object" && step !== null && !Array.isArray(step) ? { agent, ...step } : step,
  );
  return { ...value, steps };
}

/** An output's schema may stand in a file of its own, named from the flow's folder; it is recorded with the run. */
function withSchemas(value: unknown, folder: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withSchemas(one, folder));
  if (typeof value !== "object" || value === null) return value;
  const steps =
    "steps" in value && Array.isArray(value.steps) ? { steps: withSchemas(value.steps, folder) } : {};
  const outputs =
    "outputs" in value && Array.isArray(value.outputs)
      ? { outputs: value.outputs.map((output: unknown) => withSchema(output, folder)) }
      : {};
  return { ...value, ...steps, ...outputs };
}

function withSchema(output: unknown, folder: string): unknown {
  if (typeof output === "string") return { path: output };
  if (typeof output !== "object" || output === null || !("schema" in output)) return output;
  if (typeof output.schema !== "string") return output;
  return { ...output, schema: readDocument(path.resolve(folder, output.schema), "the schema").value };
}
