import type { Evidence } from "../model/effects/evidence.ts";

/** One check that is to be run. */
export interface CheckOrder {
  /**
   * The same for the same check of the same attempt, no matter who asks: of one key at most one check runs at a time.
   */
  readonly key: string;
  /** A command line of the shell. */
  readonly command: string;
  readonly cwd: string;
  readonly limitMs: number;
  /** What of the output is held at a time; the rest is read, counted and digested, and let go. */
  readonly outputBytesMax: number;
  /** Added to the environment of the check, such as HOLDFAST_RUN. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The port to everything that runs checks.
 *
 * 1. `check` does not reject for anything a check does: what could not be learnt is evidence with the verdict
 *    `unknown`.
 * 2. When it answers, nothing of the check runs any more. When this process dies, the check ends with it.
 * 3. An abort ends the check like a time limit does, and its verdict is `unknown`.
 */
export interface Quality {
  check(order: CheckOrder, signal: AbortSignal): Promise<Evidence>;
}
