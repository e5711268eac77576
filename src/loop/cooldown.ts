import { providerTrouble } from "../model/provider-trouble.ts";
import { elapsedMs, type World } from "../model/world.ts";

/**
 * One wait for all runs of a process whose provider refuses them: the longest that one of them was told to wait holds
 * for the next one that is refused too, so that they do not each find out for themselves. It is measured by the clock
 * that nobody sets.
 */
export class Cooldown {
  #endMs = -Infinity;

  /** When a step that failed so may try again, by the wall clock; trouble of a provider moves it for the others too. */
  extend(error: unknown, until: number, world: World): number {
    const trouble = providerTrouble(error);
    if (trouble === null || trouble.kind === "network") return until;
    const ranMs = elapsedMs(world);
    if (trouble.waitMs !== undefined) this.#endMs = Math.max(this.#endMs, ranMs + trouble.waitMs);
    return Math.max(until, world.now() + Math.max(this.#endMs - ranMs, 0));
  }
}
