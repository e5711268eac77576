import { setTimeout as wait } from "node:timers/promises";
import type { World } from "../../../model/world.ts";
import type { PostgresTiming } from "./postgres-timing.ts";

/** Pauses between tries, longer each time and shortened by chance, so that many clients do not come back at once. */
export interface Patience {
  /** Resolves after a pause; rejects with what `gaveUp` makes of the cause once the time is over. */
  pause(cause: unknown): Promise<void>;
}

/** Chance may say 0 again and again; a try takes a breath all the same. */
const PAUSE_MS_MIN = 5;

/**
 * Counts from the first pause, not from its making: the time of a long statement is not the server's absence.
 * The clock and the timer are Node's: a server is real, whatever world its client lives in.
 */
export function patience(options: {
  readonly timing: PostgresTiming;
  readonly world: World;
  readonly gaveUp: (cause: unknown) => Error;
}): Patience {
  const { timing, world, gaveUp } = options;
  let beganMs: number | null = null;
  let pauseMs = timing.pauseMs;
  return {
    async pause(cause) {
      beganMs ??= performance.now();
      if (performance.now() - beganMs >= timing.awayMs) throw gaveUp(cause);
      await wait(Math.max(PAUSE_MS_MIN, world.chance() * pauseMs));
      pauseMs = Math.min(2 * pauseMs, timing.pauseMsMax);
    },
  };
}
