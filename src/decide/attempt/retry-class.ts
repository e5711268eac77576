import { classOfError, fingerprint, PROVIDER_CODES } from "../../fold/attempt/class-of-error.ts";
import type { Failure, FailureClass } from "../../model/agent/failure.ts";
import type { AttemptState } from "../../model/state/run-state.ts";
import type { ErrorSignal } from "../../model/agent/signals.ts";
import { limitBefore } from "../health/limit-said.ts";

/** What may follow a failure of each class; exhaustive by type (G8). */
export const RETRY_CLASSES: Readonly<
  Record<
    FailureClass,
    { readonly retried: boolean; readonly stopsWhenRepeated: boolean; readonly meaning: string }
  >
> = {
  transient: {
    retried: true,
    stopsWhenRepeated: false,
    meaning: "passes by itself; tried again after a wait",
  },
  terminal: { retried: false, stopsWhenRepeated: false, meaning: "comes again however often it is tried" },
  rate_limited: { retried: true, stopsWhenRepeated: false, meaning: "the provider asks to wait" },
  contract_missed: { retried: true, stopsWhenRepeated: true, meaning: "ended without evidence of success" },
  artifact_invalid: {
    retried: true,
    stopsWhenRepeated: true,
    meaning: "what was delivered is not what was declared",
  },
  check_failed: {
    retried: true,
    stopsWhenRepeated: false,
    meaning: "a check that Holdfast ran did not pass",
  },
  agent_failed: { retried: true, stopsWhenRepeated: true, meaning: "the agent itself did not succeed" },
};

/** Whether an error was told by a provider, by its status or code; words alone are not enough to speak for others. */
export const isProviders = (error: ErrorSignal | null): boolean =>
  error !== null &&
  (error.status !== undefined || (error.code !== undefined && Object.hasOwn(PROVIDER_CODES, error.code)));

/** Exit codes by which a shell says that there was nothing to run. */
const CANNOT_RUN = new Set([126, 127]);

/** What an agent failed of that ended by itself; a limit that it named before counts where no error says more. */
export function classOfExit(attempt: Pick<AttemptState, "exit" | "lastError" | "health">): FailureClass {
  const { exit, lastError } = attempt;
  const told = classOfError(lastError);
  if (told !== null) return told;
  if (exit?.how !== "code") return "transient";
  if (exit.code !== 0 && limitBefore(attempt) !== null) return "rate_limited";
  return exit.code !== undefined && CANNOT_RUN.has(exit.code) ? "terminal" : "agent_failed";
}

export const failureOf = (kind: FailureClass, text: string): Failure => ({
  class: kind,
  text,
  fingerprint: fingerprint(text),
});
