import { AGENTS } from "../../model/agent/kinds/registry.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";

/**
 * How a message reaches an agent at work: at once; by ending its turn and continuing its conversation with the message,
 * which costs no attempt and loses only the turn; or not at all.
 */
export function wordsBy(state: RunState, attempt: AttemptState): "live" | "resume" | null {
  const use = state.agents[attempt.agent]?.use ?? "manual";
  if (AGENTS[use].capabilities.steer === "live") return "live";
  return AGENTS[use].continuesBrokenTurn && attempt.conversation !== null ? "resume" : null;
}
