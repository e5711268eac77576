import type { RunEvent } from "../../model/events/events.ts";
import type { Failure } from "../../model/agent/failure.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { handOverEvents } from "../requests/hand-over.ts";

/** What the agent has tried and could not do; a limit, or a program that cannot be started, is nothing for an expert. */
const HELPED: ReadonlySet<Failure["class"]> = new Set([
  "check_failed",
  "agent_failed",
  "contract_missed",
  "artifact_invalid",
]);

interface Failing {
  readonly attempt: string;
  readonly failure: Failure;
  readonly now: number;
}

/** A step that has failed to the end goes to an expert, once, before people are asked (R3). */
export function failOrExpert(
  state: RunState,
  step: StepState,
  { attempt, failure, now }: Failing,
): RunEvent[] {
  const expert = HELPED.has(failure.class) ? expertOf(state, step) : null;
  const { name, agent: from } = step.spec;
  if (expert === null) return [{ type: "StepFailed", data: { step: name, failure } }];
  const why = failure.text.split("\n")[0] ?? failure.text;
  const over = { ...expert, reason: `it has failed to the end: ${why}`, by: "holdfast", files: [] };
  return [
    { type: "ExpertTried", data: { step: name, attempt, from, to: expert.to, why } },
    ...handOverEvents(state, step, over),
    { type: "StepRetryScheduled", data: { step: name, notBefore: now } },
  ];
}

/** The flow's own expert comes before the configuration's; the one that has failed is no expert for it. */
function expertOf(
  state: RunState,
  { spec, expert }: StepState,
): { readonly to: string; readonly spec: AgentSpec } | null {
  const to = state.flow.roles?.["expert"]?.agent ?? state.settings.roles.expert;
  const known = to === undefined ? undefined : state.agents[to];
  const isFit = expert === null && to !== spec.agent && spec.authority === "writes";
  return to === undefined || known === undefined || !isFit ? null : { to, spec: known };
}
