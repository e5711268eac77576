import { takenBy } from "../../decide/fleet/placement.ts";
import { elapsedMs } from "../../model/world.ts";
import type { Ports } from "../ports.ts";

/** So many runs that were left to others are known; forgetting one costs another look. */
const LEFT_MAX = 200;
/** A run that could not be taken is left to others: first for half a scan, then twice as long each time. */
const LEFT_SCANS_FIRST = 0.5;
const LEFT_SCANS_MAX = 10;

type Pulling = Pick<Ports, "home" | "journal" | "world" | "settings">;

export interface Room {
  /** Runs that may be begun here. */
  readonly slots: number;
  isOwned(run: string): boolean;
}

/**
 * Fetches queued runs for the free slots of a host that shares the store, in the order in which the store offers them.
 * Without a free slot nothing is fetched, and nothing while the host drains. The lease of a run decides who works it: an
 * offer that did not lead to it is given back at the next look, or becomes free by itself when this process dies.
 */
export class OfferedRuns {
  readonly #ports: Pulling;
  readonly #isDraining: (() => boolean) | undefined;
  #pulled: readonly string[] = [];
  readonly #left = new Map<string, { readonly until: number; readonly scans: number }>();

  /** Without `isDraining` it is no host that looks for work. */
  constructor(ports: Pulling, isDraining: (() => boolean) | undefined) {
    this.#ports = ports;
    this.#isDraining = isDraining;
  }

  /** Whether queued runs come from here: otherwise the listing has them. */
  get isUsed(): boolean {
    const { home, journal } = this.#ports;
    return this.#isDraining !== undefined && home !== undefined && journal.hosts !== undefined;
  }

  async pull(room: Room): Promise<readonly string[]> {
    const { home, journal, settings } = this.#ports;
    const offers = journal.hosts?.offers;
    const here = home?.();
    if (!this.isUsed || offers === undefined || here === undefined) return [];
    const inVain = this.#pulled.filter((run) => !room.isOwned(run));
    this.#pulled = [];
    if (inVain.length > 0) await this.#leave(inVain);
    if (room.slots <= 0 || this.#isDraining?.() === true) return [];
    const asked = takenBy(await offers.asked(), { ...here, labels: settings.host.labels });
    if (asked.length === 0) return [];
    const except = this.#except();
    this.#pulled = await offers.pull({ asked, max: room.slots, forMs: settings.lease.ms, except });
    return this.#pulled;
  }

  async #leave(runs: readonly string[]): Promise<void> {
    const { journal, settings, world } = this.#ports;
    const now = elapsedMs(world);
    for (const run of runs) {
      const before = this.#left.get(run)?.scans ?? LEFT_SCANS_FIRST / 2;
      const scans = Math.min(2 * before, LEFT_SCANS_MAX);
      if (this.#left.size >= LEFT_MAX) this.#left.clear();
      this.#left.set(run, { until: now + scans * settings.supervisor.scanMs, scans });
    }
    await journal.hosts?.offers.giveBack(runs);
  }

  #except(): readonly string[] {
    const now = elapsedMs(this.#ports.world);
    return [...this.#left].filter(([, { until }]) => now < until).map(([run]) => run);
  }
}
