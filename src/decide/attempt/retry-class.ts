import { limitBefore } from "../health/limit-said.ts";
import { classOfError, fingerprint, PROVIDER_CODES } from "../../fold/attempt/class-of-error.ts";
import type { Ended } from "../../fold/attempt/count-death.ts";
import type { Failure, FailureClass } from "../../model/agent/failure.ts";
import type { ErrorSignal, ExitSignal } from "../../model/agent/signals.ts";
import type { DiedWith } from "../../model/events/died-with.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";

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

/**
 * Whether an error was reported by a provider, by its status or code; words alone are not enough to speak for others.
 */
export const isProviders = (error: ErrorSignal | null): boolean =>
  error !== null &&
  (error.status !== undefined || (error.code !== undefined && Object.hasOwn(PROVIDER_CODES, error.code)));

/** Exit codes by which a shell says that there was nothing to run. */
const CANNOT_RUN = new Set([126, 127]);

/** What an agent failed of that ended by itself; a limit that it named before counts where no error says more. */
export function classOfExit(attempt: Pick<AttemptState, "exit" | "lastError" | "health">): FailureClass {
  const { exit, lastError } = attempt;
  const named = classOfError(lastError);
  if (named !== null) return named;
  if (exit?.how !== "code") return "transient";
  if (exit.code !== 0 && limitBefore(attempt) !== null) return "rate_limited";
  return exit.code !== undefined && CANNOT_RUN.has(exit.code) ? "terminal" : "agent_failed";
}

export const failureOf = (kind: FailureClass, text: string): Failure => ({
  class: kind,
  text,
  fingerprint: fingerprint(text),
});

/**
 * By these a machine, a service manager or an operator ends everything at once; keepers ignore them and record the end.
 * A kill of everything leaves no keeper to record it, so one that was recorded was meant for the agent alone.
 */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"]);

const isCutShort = ({ how, signal }: ExitSignal): boolean =>
  how === "vanished" || (how === "signal" && FROM_OUTSIDE.has(signal ?? ""));

/** What an agent died with, other than by itself; null where nothing is known of the kind. */
function diedWith({ exit, finding, adoptedAt }: AttemptState): DiedWith | null {
  if (exit?.fault === "disk") return "disk";
  if (exit === null || !isCutShort(exit)) return null;
  if (exit.lost !== undefined) return exit.lost === "restart" ? "machine" : "container";
  return adoptedAt !== null && finding === "ended" ? "supervisor" : null;
}

const WHY: Readonly<Record<DiedWith, string>> = {
  machine: "the machine was restarted while its agent worked",
  container: "its container is gone, and the agent with it",
  supervisor: "the session ended together with its supervisor",
  disk: "the disk was full when it ended",
};

/** The death of a machine, a container or a supervisor is never charged to the step (J4), and neither is a full disk. */
export function endedTogether(attempt: AttemptState): Ended | null {
  const cause = diedWith(attempt);
  return cause === null
    ? null
    : { attempt: attempt.id, outcome: "interrupted", charged: false, why: WHY[cause], diedWith: cause };
}

/**
 * An agent that printed its last word has finished, also where nobody was left to record how its process ended: then
 * its word is what is assessed.
 */
export function withLastWord(attempt: AttemptState): AttemptState {
  const { exit, claim, health } = attempt;
  if (exit === null || claim === null || !health.ended) return attempt;
  return exit.how === "vanished" || diedWith(attempt) !== null
    ? { ...attempt, exit: { kind: "exit", how: "code", code: 0 } }
    : attempt;
}

/** So often in a row without progress, and so often at all, until an agent is held to be the cause (I7). */
const QUIET_DEATHS_MAX = 5;
const DEATHS_MAX = 50;

export function boundDeaths(state: RunState, attempt: AttemptState, ended: Ended): Ended {
  const deaths = state.steps[attempt.step]?.deaths;
  if (ended.diedWith === undefined || deaths === undefined) return ended;
  if (deaths.quiet < QUIET_DEATHS_MAX && deaths.all < DEATHS_MAX) return ended;
  const often =
    deaths.quiet >= QUIET_DEATHS_MAX
      ? `${String(deaths.quiet + 1)} times in a row without progress`
      : `${String(deaths.all + 1)} times`;
  const text = `${ended.why}, ${often}: the agent may be the cause`;
  return { ...ended, outcome: "zombie", charged: true, why: text, failure: failureOf("transient", text) };
}
