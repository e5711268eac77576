import type { Journal } from "../journal/journal.ts";
import type { World } from "../model/world.ts";

/**
 * Finds runs that want an owner: those that work by themselves, and those that were asked something.
 * Every append anywhere is a hint to look, so the whole listing is read only now and then; mail is looked at each time.
 */
export class WorkFinder {
  readonly #journal: Journal;
  readonly #world: World;
  readonly #everyMs: number;
  #nextListing = -Infinity;
  #first = true;
  #nextWake = Infinity;

  constructor(journal: Journal, world: World, everyMs: number) {
    this.#journal = journal;
    this.#world = world;
    this.#everyMs = everyMs;
  }

  /** The next look reads the listing: a place has become free, say. */
  lookAtAll(): void {
    this.#nextListing = -Infinity;
  }

  /** When a run at rest wants to be looked at next, as of the last listing. */
  get nextWake(): number {
    return this.#nextWake;
  }

  async find(mail: ReadonlySet<string>): Promise<string[]> {
    // Addresses with a colon are supervisors, not runs.
    const asked = [...mail].filter((address) => !address.includes(":"));
    const now = this.#world.now();
    if (now < this.#nextListing) return asked;
    this.#nextListing = now + this.#everyMs;
    const working = await this.#journal.runs({ statuses: ["queued", "running", "pausing"] });
    const waking = await this.#waking(now);
    const names = [...working, ...waking, ...(await this.#stoppedByShutdown())]
      .map((listing) => listing.run)
      .reverse();
    return [...new Set([...names, ...asked])];
  }

  /** Runs at rest that have something to do at a time of their own, such as a notice that must be sent again. */
  async #waking(now: number) {
    const resting = await this.#journal.runs({ statuses: ["blocked", "awaiting_approval"] });
    const times = resting.flatMap(({ wakeAt }) => (wakeAt === null ? [] : [wakeAt]));
    this.#nextWake = times.reduce((earliest, time) => Math.min(earliest, time), Infinity);
    return resting.filter(({ wakeAt }) => wakeAt !== null && wakeAt <= now);
  }

  /** A shutdown never ends a run: what the last supervisor put to rest on its way out, this one wakes. */
  async #stoppedByShutdown() {
    if (!this.#first) return [];
    this.#first = false;
    const paused = await this.#journal.runs({ statuses: ["paused"] });
    return paused.filter(({ wakeAt }) => wakeAt !== null);
  }
}
