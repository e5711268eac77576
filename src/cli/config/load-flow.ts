import { flowJsonSchema, flowSchema, type Flow } from "../../model/flow.ts";
import { Fault } from "../../model/fault.ts";
import { describeIssues } from "./describe-issues.ts";
import { readDocument } from "./read-document.ts";

/** Reads and checks a flow. Steps that name no agent get the one of `--agent`. */
export function loadFlow(file: string, defaultAgent: string | undefined): Flow {
  const value = withAgent(readDocument(file, "the flow"), defaultAgent);
  const checked = flowSchema.safeParse(value);
  if (checked.success) return checked.data;
  const problems = describeIssues(checked.error.issues, value, flowJsonSchema());
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
