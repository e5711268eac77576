import type { Owner } from "../../journal/journal.ts";
import { permitUntil } from "../../model/host/permit.ts";
import { elapsedMs } from "../../model/world.ts";
import type { Ports } from "../ports.ts";

/** So long a supervisor may take to come back, also on a busy machine or by a service manager. Then its runs are free. */
const KEPT_MS = 60_000;
/** Owners that died within that time. */
const OWNERS_MAX = 10;

type Keeping = Pick<Ports, "home" | "fence" | "journal" | "world" | "settings">;

/** What the sibling saw at one look at the lease of its supervisor. */
export interface SupervisorSight {
  /** When the look began. */
  readonly askedMs: number;
  readonly owner: Owner | null;
  readonly isGone: boolean;
}

/**
 * Keeps what a dead supervisor owned while its sibling brings it back: other hosts see its beats go on, and its agents
 * keep their permit. Nothing where hosts do not share the store.
 *
 * Invariants:
 * 1. The time is counted per owner, from the first look that found it dead: supervisors that die in a row, or never
 *    come up, hold no run for ever.
 * 2. The permit is renewed only while the dead one holds the lease, and from the moment the look began. The next
 *    supervisor owns runs under beats of its own, which this process knows nothing of.
 */
export class KeptRuns {
  readonly #ports: Keeping;
  readonly #until = new Map<string, number>();
  #nextBeat = -Infinity;

  constructor(ports: Keeping) {
    this.#ports = ports;
  }

  async look({ askedMs, owner, isGone }: SupervisorSight): Promise<void> {
    if (this.#ports.home === undefined) return;
    if (owner !== null && isGone && !this.#until.has(owner.id)) this.#note(owner.id, askedMs);
    // One that is over stays known until others have come: it is not kept a second time.
    const kept = [...this.#until].filter(([, until]) => askedMs < until).map(([id]) => id);
    if (kept.length === 0 || askedMs < this.#nextBeat) return;
    const { journal, fence, settings } = this.#ports;
    for (const id of kept) await journal.beat(id);
    this.#nextBeat = elapsedMs(this.#ports.world) + settings.lease.ms / 6;
    if (isGone && owner !== null && kept.includes(owner.id))
      fence?.permit(permitUntil(askedMs, settings.lease.ms));
  }

  #note(id: string, askedMs: number): void {
    const [oldest] = this.#until.keys();
    if (this.#until.size >= OWNERS_MAX && oldest !== undefined) this.#until.delete(oldest);
    this.#until.set(id, askedMs + KEPT_MS);
    this.#nextBeat = -Infinity;
  }
}
