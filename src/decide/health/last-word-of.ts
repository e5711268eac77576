import { AGENTS, type AgentKind } from "../../model/agent/kinds/registry.ts";
import type { Failure, FailureClass } from "../../model/agent/failure.ts";
import { readLastWord, type LastWord } from "../../model/text/last-word.ts";
import { limitBefore } from "./limit-said.ts";
import { resetTime } from "../../model/text/reset-time.ts";
import type { AttemptState } from "../../model/state/run-state.ts";
import { classOfError } from "../../fold/attempt/class-of-error.ts";
import { failureOf } from "../attempt/retry-class.ts";

/** An error, a limit or a refusal that is the agent's last word although it was not reported as one (B4). */
export function lastWordOf(
  { claim, lastSaid }: Pick<AttemptState, "claim" | "lastSaid">,
  use: AgentKind,
): LastWord | null {
  if (claim?.ok === false || AGENTS[use].claim.person) return null;
  if (claim === null) return readLastWord(lastSaid);
  // A value is data, and may speak of errors as it likes.
  const isData = claim.value !== undefined && typeof claim.value !== "string";
  return AGENTS[use].claim.prose && !isData ? readLastWord(claim.text) : null;
}

const WHAT: Readonly<Record<LastWord["kind"], string>> = {
  error: "the agent's last word is an error",
  limit: "the agent's last word is a limit of its provider",
  refusal: "the agent refused",
};

export const failureOfWord = (word: LastWord): Failure =>
  failureOf(classOfWord(word), `${WHAT[word.kind]}: ${word.line}`);

/** Limits are waited for and not charged; what else prose reports may pass, or comes again. */
export function classOfWord({ kind, line }: LastWord): FailureClass {
  if (kind === "limit") return "rate_limited";
  if (kind === "refusal") return "agent_failed";
  return classOfError({ kind: "error", text: line, terminal: false }) ?? "agent_failed";
}

/** What a driver reported as a failure without saying of which kind. */
export function classOfClaim(text: string): FailureClass | null {
  const word = readLastWord(text);
  return word === null ? null : classOfWord(word);
}

/** Whether that end was named by the clock. */
export const endNamed = ({ health }: AttemptState): { readonly named?: true } =>
  (health.limit ?? health.lastLimit)?.named === true ? { named: true } : {};

/** When the limit that an attempt ended with is over, as far as its provider or its last word has named that. */
export function limitEndOf(attempt: AttemptState): number | null {
  const { claim, lastSaid, lastSignalAt } = attempt;
  const limit = limitBefore(attempt);
  if (limit !== null && limit.until !== null) return limit.until;
  if (attempt.health.limit !== null) return null;
  // A clock time without a zone cannot be read here; a span can.
  const { retryAfterMs } = resetTime(claim?.text ?? lastSaid, 0, "UTC");
  return retryAfterMs === undefined || lastSignalAt === null ? null : lastSignalAt + retryAfterMs;
}
