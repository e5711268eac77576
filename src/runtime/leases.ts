import type { ClaimOutcome, Journal, Lease, Owner } from "../journal/journal.ts";
import type { EventData } from "../model/events.ts";
import type { World } from "../model/world.ts";

type From = EventData<"RunClaimed">["from"];

export type Taken =
  | { readonly kind: "taken"; readonly epoch: number; readonly from: From }
  | { readonly kind: "held"; readonly lease: Lease };

interface Seen {
  readonly epoch: number;
  readonly beats: number;
  readonly since: number;
}

/**
 * Takes leases, and judges whether their holders are gone: at once if the operating system says that the process is,
 * otherwise only when its beats have not changed for a whole lease as watched from here. Clocks of other hosts are
 * never compared.
 */
export class Leases {
  readonly owner: Owner;
  readonly #journal: Journal;
  readonly #world: World;
  readonly #leaseMs: number;
  readonly #seen = new Map<string, Seen>();

  constructor(journal: Journal, world: World, leaseMs: number) {
    this.#journal = journal;
    this.#world = world;
    this.#leaseMs = leaseMs;
    this.owner = { id: world.id("own"), process: world.self };
  }

  async take(address: string): Promise<Taken> {
    const first = await this.#journal.claim(address, this.owner);
    if (first.kind === "claimed")
      return this.#taken(address, first, first.from === null ? "nobody" : "released");
    const gone = this.#judge(first.lease);
    if (gone === null) return { kind: "held", lease: first.lease };
    const second = await this.#journal.takeOver(address, this.owner, first.lease);
    return second.kind === "claimed"
      ? this.#taken(address, second, gone)
      : { kind: "held", lease: second.lease };
  }

  /** Whether somebody who may be alive holds the address. */
  async isHeld(address: string): Promise<boolean> {
    const lease = await this.#journal.lease(address);
    return lease !== null && lease.owner !== null && this.#judge(lease) === null;
  }

  async release(address: string, epoch: number): Promise<void> {
    await this.#journal.release(address, epoch);
  }

  async beat(): Promise<void> {
    await this.#journal.beat(this.owner.id);
  }

  #taken(address: string, { epoch }: Extract<ClaimOutcome, { kind: "claimed" }>, from: From): Taken {
    this.#seen.delete(address);
    return { kind: "taken", epoch, from };
  }

  #judge(lease: Lease): "gone" | "silent" | null {
    if (lease.owner !== null && this.#world.liveness(lease.owner.process) === "gone") return "gone";
    const now = this.#world.now();
    const seen = this.#seen.get(lease.address);
    if (seen === undefined || seen.epoch !== lease.epoch || seen.beats !== lease.beats || now < seen.since) {
      this.#seen.set(lease.address, { epoch: lease.epoch, beats: lease.beats, since: now });
      return null;
    }
    return now - seen.since >= this.#leaseMs ? "silent" : null;
  }
}
