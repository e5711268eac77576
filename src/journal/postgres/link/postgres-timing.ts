import { setTimeout as wait } from "node:timers/promises";
import type { World } from "../../../model/world.ts";

/** How long things may take; tests use shorter ones. */
export interface PostgresTiming {
  /** Until a connection stands, greetings included. */
  readonly connectMs: number;
  /** For one statement on the server, waiting for other writers included; the server itself ends it then. */
  readonly statementMs: number;
  /** Until an answer must have come; after that the connection counts as cut. Longer than `statementMs`. */
  readonly answerMs: number;
  /** How long a server may stay away before callers are informed. */
  readonly awayMs: number;
  /** The same once this process has been asked to end: for all calls together. */
  readonly leavingMs: number;
  /** The first pause before connecting again; it doubles up to the longest, and chance takes a part of it. */
  readonly pauseMs: number;
  readonly pauseMsMax: number;
  /** How often a watcher looks for itself, should a notification have been lost. */
  readonly pollMs: number;
  /**
   * At most one notification to others in this time; while appends go on without a pause, at most one in the longest.
   * Each is a transaction, and the server commits those one after the other.
   */
  readonly publishMs: number;
  readonly publishMsMax: number;
}

export const POSTGRES_TIMING: PostgresTiming = {
  connectMs: 5_000,
  statementMs: 10_000,
  answerMs: 15_000,
  awayMs: 60_000,
  leavingMs: 3_000,
  pauseMs: 50,
  pauseMsMax: 1_000,
  pollMs: 2_000,
  publishMs: 20,
  publishMsMax: 320,
};

/** When this process was asked to end; null while it was not. */
export interface Leaving {
  sinceMs: number | null;
}

/** Pauses between tries, longer each time and shortened by chance, so that many clients do not come back at once. */
interface Patience {
  /** Resolves after a pause; rejects with what `gaveUp` makes of the cause once the time is over. */
  pause(cause: unknown): Promise<void>;
}

/** Chance may say 0 again and again; a try takes a breath all the same. */
const PAUSE_MS_MIN = 5;

/**
 * Counts from the first pause, not from its making: the time of a long statement is not the server's absence.
 * The clock and the timer are Node's: a server is real, no matter what world its client lives in.
 */
export function patience(options: {
  readonly timing: PostgresTiming;
  readonly world: World;
  readonly leaving?: Leaving;
  readonly gaveUp: (cause: unknown, afterMs: number) => Error;
}): Patience {
  const { timing, world, leaving, gaveUp } = options;
  const leavesMs = (): number => (leaving?.sinceMs ?? Infinity) + timing.leavingMs;
  let beganMs: number | null = null;
  let pauseMs = timing.pauseMs;
  return {
    async pause(cause) {
      const nowMs = performance.now();
      beganMs ??= nowMs;
      if (nowMs >= Math.min(beganMs + timing.awayMs, leavesMs())) throw gaveUp(cause, nowMs - beganMs);
      await wait(Math.max(PAUSE_MS_MIN, world.chance() * pauseMs));
      pauseMs = Math.min(2 * pauseMs, timing.pauseMsMax);
    },
  };
}
