import { Fault } from "../../model/fault.ts";
import type { AgentSpec } from "../../model/flow/flow.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";

/** The attempt at work in a terminal that is meant, and how its agent is described. */
export function findTerminal(
  state: RunState,
  named: string | undefined,
): { readonly attempt: AttemptState; readonly spec: AgentSpec } {
  const live = Object.values(state.attempts);
  const isTerminal = ({ agent }: AttemptState): boolean => state.agents[agent]?.use === "tmux";
  const attempt =
    named === undefined
      ? (live.find(isTerminal) ?? live[0])
      : live.find(({ id, step }) => named === id || named === step);
  if (attempt === undefined)
    throw new Fault(
      "refused",
      `no agent of ${state.run} works${named === undefined ? "" : ` as ${named}`} just now: the run is ${state.status}; a terminal can be seen while an agent works in it`,
      { details: { run: state.run, status: state.status, allowedIn: ["running"] } },
    );
  const spec = state.agents[attempt.agent];
  if (spec === undefined || !isTerminal(attempt))
    throw new Fault(
      "refused",
      `the agent ${attempt.agent} is driven by ${spec?.use ?? "unknown"} and has no terminal; read its conversation instead`,
    );
  return { attempt, spec };
}
