import type { Evidence } from "../model/effects/evidence.ts";

/** How the command of a check ended, as far as was learnt. */
export interface CheckEnding {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What ended it, if it did not end by itself. */
  readonly cause: "itself" | "limit" | "abort";
}

/** Signals that a program brings upon itself; all others were sent by somebody, who has decided nothing. */
const OWN_SIGNALS = new Set([
  "SIGSEGV",
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGILL",
  "SIGTRAP",
  "SIGSYS",
  "SIGPIPE",
  "SIGXCPU",
  "SIGXFSZ",
]);

/** The shell's words for a command that it found no program for, or none it may run: nothing was checked. */
const NOT_RUN = new Map([
  [126, "the command could not be run (exit code 126)"],
  [127, "the command was not found (exit code 127)"],
]);

export interface CheckDecision {
  readonly verdict: Evidence["verdict"];
  /** Why, where the output does not show. */
  readonly note: string;
}

export function decideCheck({ exitCode, signal, cause }: CheckEnding, limitMs: number): CheckDecision {
  if (cause === "abort") return { verdict: "unknown", note: "the check was called off before it ended" };
  if (cause === "limit") return { verdict: "fail", note: `timed out: ended after ${String(limitMs)} ms` };
  if (signal !== null)
    return OWN_SIGNALS.has(signal)
      ? { verdict: "fail", note: `ended by ${signal}` }
      : { verdict: "unknown", note: `ended from outside by ${signal}` };
  if (exitCode === null) return { verdict: "unknown", note: "how it ended was not learnt" };
  const notRun = NOT_RUN.get(exitCode);
  if (notRun !== undefined) return { verdict: "unknown", note: notRun };
  return { verdict: exitCode === 0 ? "pass" : "fail", note: "" };
}
