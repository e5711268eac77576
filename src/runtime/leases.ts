import { isQuiet, isSilent, seenAfter, type SeenBeats } from "../decide/resources/lease-silence.ts";
import type { ClaimOutcome, Journal, Lease, Owner } from "../journal/journal.ts";
import type { EventData } from "../model/events/events.ts";
import type { World } from "../model/world.ts";

type From = EventData<"RunClaimed">["from"];

export type Taken =
  | { readonly kind: "taken"; readonly epoch: number; readonly from: From }
  | { readonly kind: "held"; readonly lease: Lease; readonly silentMs: number };

type HeldLease = Lease & { readonly owner: Owner };

interface Watched {
  readonly seen: SeenBeats;
  /** Whether processes to come will find this sight in the store. */
  readonly noted: boolean;
}

/** Owners that were looked up; forgetting one costs another look. */
const MET_MAX = 1_000;

/**
 * Takes leases, and decides whether their holders are gone: at once if the operating system says that the process is,
 * otherwise only when its beats have not changed for a whole lease as watched by this machine. Clocks of other hosts are
 * never compared.
 *
 * What was seen of a holder is noted in the store when this process first meets it, and again when a beat is missing: so
 * processes that live shorter than a lease go on with each other's sight, by the clock they share
 * (docs/decisions/0030-what-was-seen-of-a-lease-is-kept.md).
 */
export class Leases {
  readonly owner: Owner;
  readonly #journal: Journal;
  readonly #world: World;
  readonly #leaseMs: number;
  readonly #watched = new Map<string, Watched>();
  readonly #met = new Set<string>();
  /** Beats are an owner's, whichever of its leases they were seen by first. */
  readonly #byOwner = new Map<string, SeenBeats & Pick<Lease, "address">>();
  #isGone: ((owner: Owner) => boolean) | null = null;
  #othersMs = 0;

  constructor(journal: Journal, world: World, leaseMs: number) {
    this.#journal = journal;
    this.#world = world;
    this.#leaseMs = leaseMs;
    this.owner = { id: world.id("own"), process: world.self };
  }

  /** How long a holder may be silent. */
  get leaseMs(): number {
    return this.#leaseMs;
  }

  /** Owners on other hosts may be silent for so long: their agents work until shortly before. */
  allowOthers(leaseMs: number): void {
    this.#othersMs = leaseMs;
  }

  /** How long an owner must be silent before its leases are taken over. */
  get #patienceMs(): number {
    return Math.max(this.#leaseMs, this.#othersMs);
  }

  /** Somebody who sees sooner than by their beats which owners are gone; null: nobody does any more. */
  believe(isGone: ((owner: Owner) => boolean) | null): void {
    this.#isGone = isGone;
  }

  async take(address: string): Promise<Taken> {
    const first = await this.#journal.claim(address, this.owner);
    if (first.kind === "claimed")
      return this.#taken(address, first, first.from === null ? "nobody" : "released");
    const gone = await this.#whyGone(first.lease);
    if (gone === null) return this.#held(first.lease);
    const second = await this.#journal.takeOver(address, this.owner, first.lease);
    return second.kind === "claimed" ? this.#taken(address, second, gone) : this.#held(second.lease);
  }

  /** Whether somebody who may be alive holds the address. */
  async isHeld(address: string): Promise<boolean> {
    const lease = await this.#journal.lease(address);
    return lease !== null && lease.owner !== null && (await this.#whyGone(lease)) === null;
  }

  async release(address: string, epoch: number): Promise<void> {
    await this.#journal.release(address, epoch);
  }

  async beat(): Promise<void> {
    await this.#journal.beat(this.owner.id);
  }

  #taken(address: string, { epoch }: Extract<ClaimOutcome, { kind: "claimed" }>, from: From): Taken {
    this.#watched.delete(address);
    return { kind: "taken", epoch, from };
  }

  #held(lease: Lease): Taken {
    const since = this.#watched.get(lease.address)?.seen.since ?? this.#now();
    return { kind: "held", lease, silentMs: Math.max(0, this.#now() - since) };
  }

  async #whyGone(lease: Lease): Promise<"gone" | "silent" | null> {
    if (!isHeldLease(lease)) return null;
    if (this.#world.liveness(lease.owner.process) === "gone" || this.#isGone?.(lease.owner) === true)
      return "gone";
    const seen = await this.#watch(lease);
    return isSilent(seen, this.#now(), this.#patienceMs) ? "silent" : null;
  }

  async #watch(lease: HeldLease): Promise<SeenBeats> {
    const { address, epoch, beats } = lease;
    const before = this.#watched.get(address);
    const isKnown = before?.seen.epoch === epoch && before.seen.beats === beats;
    const since = isKnown ? this.#now() : await this.#firstSeen(lease);
    let seen = seenAfter(before?.seen, { epoch, beats, since });
    let noted = seen === before?.seen && before.noted;
    if (!noted && (this.#isNew(lease.owner) || isQuiet(seen, this.#now(), this.#leaseMs))) {
      seen = await this.#compareNotes(lease, seen);
      noted = true;
    }
    this.#watched.set(address, { seen, noted });
    return seen;
  }

  /** Since when the owner has beaten so often. */
  async #firstSeen(lease: HeldLease): Promise<number> {
    const { address, epoch, owner, beats } = lease;
    const before = this.#byOwner.get(owner.id);
    const now = this.#now();
    if (before?.beats === beats && before.since <= now && (await this.#isStillHeld(before, lease)))
      return before.since;
    if (this.#byOwner.size >= MET_MAX) this.#byOwner.clear();
    this.#byOwner.set(owner.id, { address, epoch, beats, since: now });
    return now;
  }

  /** An owner that held nothing for a moment counts its beats from zero again: the same number is no silence then. */
  async #isStillHeld(
    { address, epoch }: Pick<Lease, "address" | "epoch">,
    seen: HeldLease,
  ): Promise<boolean> {
    const lease = address === seen.address ? seen : await this.#journal.lease(address);
    return lease?.epoch === epoch && lease.owner?.id === seen.owner.id;
  }

  /** The earlier of what this process saw and what was noted before it; the store keeps that one. */
  async #compareNotes({ address, epoch, owner, beats }: HeldLease, seen: SeenBeats): Promise<SeenBeats> {
    const observer = this.#world.steady?.().clock;
    if (observer === undefined) return seen;
    try {
      const kept = await this.#journal.sighting(owner.id, observer);
      if (kept?.beats === beats && kept.seenAt <= seen.since) return { ...seen, since: kept.seenAt };
      const sighting = { owner: owner.id, observer, beats, seenAt: seen.since };
      await this.#journal.noteSighting(sighting, { address, epoch });
    } catch {
      // A note only shortens the wait of processes to come: where the store does not take it, this one waits itself.
    }
    return seen;
  }

  #isNew({ id }: Owner): boolean {
    if (this.#met.has(id)) return false;
    if (this.#met.size >= MET_MAX) this.#met.clear();
    this.#met.add(id);
    return true;
  }

  /** Not the time of day, which may be set: what was seen before would look older or younger. */
  #now(): number {
    return this.#world.steady?.().ms ?? this.#world.now();
  }
}

const isHeldLease = (lease: Lease): lease is HeldLease => lease.owner !== null;
