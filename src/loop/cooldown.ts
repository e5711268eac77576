import { providerTrouble } from "../model/provider-trouble.ts";

/**
 * One wait for all runs of a process whose provider refuses them: the longest that one of them was told to wait holds
 * for the next one that is refused too, so that they do not each find out for themselves.
 */
export class Cooldown {
  #until = 0;

  /** When a step that failed so may try again; trouble of a provider moves it for the others too. */
  extend(error: unknown, until: number, now: number): number {
    const trouble = providerTrouble(error);
    if (trouble === null || trouble.kind === "network") return until;
    if (trouble.waitMs !== undefined) this.#until = Math.max(this.#until, now + trouble.waitMs);
    return Math.max(until, this.#until);
  }
}
