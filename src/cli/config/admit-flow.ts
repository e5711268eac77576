import type { AgentSpec, Flow } from "../../model/flow/flow.ts";
import { limitFindings } from "../../model/flow/flow-limits.ts";
import type { FlowLimits } from "../../model/flow/flow-policies.ts";
import type { FlowProblem } from "../../model/flow/flow-dead-ends.ts";
import { flowProblems } from "../../model/flow/flow-problems.ts";
import type { DocumentPlaces } from "./document-places.ts";

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
  const told = (found: FlowProblem): string =>
    `${placeOf(flow, places, found)}"${found.step}": ${found.problem}`;
  const problems = flowProblems(flow, agents);
  if (problems.length > 0) return { problems: problems.map(told), warnings: [] };
  const findings = limitFindings(flow, limits, agents);
  return {
    problems: findings.filter(({ sure }) => sure).map(told),
    warnings: findings.filter(({ sure }) => !sure).map(told),
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
