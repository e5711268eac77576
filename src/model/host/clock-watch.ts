import type { ClockReading } from "./clock.ts";
import { JUMP_MS_MIN, jumpsBetween } from "./clock.ts";
import type { RunEvent } from "../events/events.ts";
import type { World } from "../world.ts";

/** Notices that the wall clock was set, or that the machine was suspended, since the last reading that is on record. */
export class ClockWatch {
  readonly #world: World;
  #last: ClockReading | null;

  /** `last` is what the journal holds: what happened while nobody owned the run is noticed too. */
  constructor(world: World, last: ClockReading | null) {
    this.#world = world;
    this.#last = last;
  }

  read(): { readonly clock?: ClockReading } {
    const clock = this.#world.clock?.();
    return clock === undefined ? {} : { clock };
  }

  /** What happened since the last look, to be folded before anything else. */
  jumps(now: number): RunEvent[] {
    const last = this.#last;
    if (last !== null && !this.#mayHaveJumped(last, now)) return [];
    const { clock } = this.read();
    if (clock === undefined) return [];
    this.#last = clock;
    if (last === null) return [];
    return jumpsBetween(last, clock).map((jump): RunEvent => ({
      type: "ClockJumped",
      data: { ...jump, clock },
    }));
  }

  /** The same where nothing is to be recorded. */
  hasJumped(now: number): boolean {
    return this.jumps(now).length > 0;
  }

  /** Reading all clocks costs a file; two of them cost nothing. */
  #mayHaveJumped(last: ClockReading, now: number): boolean {
    const ranMs = this.#world.steady?.().ms;
    return ranMs !== undefined && Math.abs(now - last.at - (ranMs - last.runMs)) >= JUMP_MS_MIN / 2;
  }
}

/** What a run at rest waits for was written down by the clock as it was then. */
export const hasJumpedSince = (world: World, read: ClockReading | null): boolean =>
  read !== null && new ClockWatch(world, read).hasJumped(world.now());
