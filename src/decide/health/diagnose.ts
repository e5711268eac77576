import { isProviders } from "../attempt/retry-class.ts";
import { classOfError } from "../../fold/attempt/class-of-error.ts";
import type { HealthState, Pattern } from "../../model/agent/health.ts";
import type { Cause, Diagnosis } from "../../model/agent/ladder.ts";
import type { AttemptState } from "../../model/state/run-state.ts";

/** What is wrong with an attempt that is stuck, and where it comes from. */
export const diagnosisOf = (attempt: AttemptState, pattern: Pattern): Diagnosis => ({
  pattern,
  cause: causeOf(attempt, pattern),
});

/** A model that owes an answer, a limit, and errors of a provider are nothing that the agent or its files could mend. */
function causeOf({ health, lastError }: AttemptState, pattern: Pattern): Cause {
  if (health.limit !== null) return "provider";
  if (pattern === "no_progress") return isModelsTurn(health) ? "provider" : "agent";
  const isReported = isProviders(lastError) || classOfError(lastError) !== null;
  return pattern === "error_loop" && health.errors.run > 1 && isReported ? "provider" : "agent";
}

/** Whether the model owes an answer: no call is open, and the agent has not ended its turn. */
const isModelsTurn = ({ open, resultsSeen, ended, turnSince }: HealthState): boolean =>
  !(open.length > 0 && resultsSeen > 0) && !ended && turnSince !== null;
