import type { InboxRow, Owner } from "../../journal/journal.ts";
import { isFault } from "../../model/fault.ts";
import { elapsedMs, type ProcessIdentity } from "../../model/world.ts";
import { KeptRuns } from "../fleet/kept-runs.ts";
import { LockHolder } from "../fleet/lock-holder.ts";
import type { Leases } from "../leases.ts";
import { PeerWatch, type PeerHands } from "./peer-watch.ts";
import { pause, type Ports } from "../ports.ts";
import { supervisorAddress, watchdogAddress } from "./lost-hosts.ts";
import { shutdownIn } from "./shutdown-mail.ts";

/** What the supervisor says when it ends as it should: which process says so, lest it be taken for a later one. */
const dismissalOf = (owner: Owner): string => `supervisor ${owner.id}`;

export type WatchdogEnd =
  /** Another one watches already, or has taken this one's place. */
  | { readonly kind: "held" }
  /** The supervisor ended as it should, or is ended by a person: there is nothing left to watch. */
  | { readonly kind: "dismissed" }
  /** There was no supervisor to begin with. */
  | { readonly kind: "needless" }
  | { readonly kind: "store_gone" };

export interface WatchdogOptions {
  readonly hands: PeerHands;
  readonly say: (text: string) => void;
  /** Whether a service manager starts the supervisor again: it is left the first go. */
  readonly isService: boolean;
  /** A store that was removed has nothing to watch over. */
  readonly isStoreThere: () => boolean;
  /** Whether this very process keeps others from writing to the store. */
  readonly holdsStore: (of: ProcessIdentity) => boolean;
}

/** A proper end releases the lease first and says so then. */
const RELEASED_MS = 5_000;
const SERVICE_MS = 30_000;
const STORE_SILENT_MS_MAX = 24 * 3_600_000;
/** It may have to beat for its supervisor. */
const BEATS_PER_LEASE = 6;

type Watched = Pick<Ports, "journal" | "world" | "settings" | "deaths" | "home" | "fence">;

/**
 * The sibling process that watches a host's supervisor, as the supervisor watches it.
 *
 * States: watching, standing down (asked to end: it waits until the supervisor is gone, ends it if it is stuck, and
 * starts none), ended. Invariants:
 * 1. It works under a lease of its own, so that there is no second, and beats for the supervisor to see.
 * 2. It ends a process only by its identity, and only after progress was missed for the whole time; a store that does
 *    not answer shows nothing, and so nothing is done (I6). One whose lock the supervisor itself holds can be read, and
 *    shows that the supervisor does not beat.
 * 3. It never writes to a run: what it started finds everything in the journal (I3). It only beats for a supervisor that
 *    died, for a bounded time, so that other hosts leave the runs to the next one (`KeptRuns`).
 */
export class Watchdog {
  readonly #ports: Watched;
  readonly #leases: Leases;
  readonly #options: WatchdogOptions;
  readonly #address: string;
  readonly #watch: PeerWatch;
  readonly #kept: KeptRuns;
  #standDown: "farewell" | "person" | null = null;
  #nextBeat = -Infinity;
  #stopped = false;

  constructor(ports: Watched, leases: Leases, options: WatchdogOptions) {
    this.#ports = ports;
    this.#leases = leases;
    this.#options = options;
    const { self } = ports.world;
    this.#address = watchdogAddress(self);
    this.#kept = new KeptRuns(ports);
    const patience = { goneMs: options.isService ? SERVICE_MS : 0, releasedMs: RELEASED_MS };
    this.#watch = new PeerWatch(ports, {
      address: supervisorAddress(self),
      hands: options.hands,
      patience,
      say: options.say,
      restarts: ports.deaths?.restarts,
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#ports.journal.leave?.();
  }

  async work(): Promise<WatchdogEnd> {
    const taken = await this.#leases.take(this.#address);
    if (taken.kind === "held") return { kind: "held" };
    await this.#takeMail();
    // Where hosts share the store, others see by it that the supervisor will be brought back.
    const lock = new LockHolder(this.#ports, "watchdog", () => Promise.resolve());
    await lock.begin();
    const end = await this.#watchOn(taken.epoch).finally(() => lock.close());
    if (end.kind !== "store_gone")
      await this.#leases.release(this.#address, taken.epoch).catch(() => undefined);
    return end;
  }

  async #watchOn(epoch: number): Promise<WatchdogEnd> {
    const { world } = this.#ports;
    let answeredAt = elapsedMs(world);
    for (;;) {
      if (!this.#options.isStoreThere()) return { kind: "store_gone" };
      if (this.#stopped) return { kind: "dismissed" };
      try {
        const end = await this.#round(epoch);
        if (end !== null) return end;
        answeredAt = elapsedMs(world);
      } catch (fault) {
        // The store is down for a while, say: nothing was seen, so nothing is done.
        if (isFault(fault, "broken_promise")) throw fault;
        if (elapsedMs(world) - answeredAt > STORE_SILENT_MS_MAX) return { kind: "store_gone" };
      }
      await pause(world, Math.min(this.#watch.pauseMs, this.#ports.settings.lease.ms / BEATS_PER_LEASE));
    }
  }

  async #round(epoch: number): Promise<WatchdogEnd | null> {
    if (await this.#isReplaced(epoch)) return { kind: "held" };
    const askedMs = elapsedMs(this.#ports.world);
    const seen = await this.#watch.look(this.#standDown === null);
    await this.#readMail();
    if (this.#standDown === null)
      await this.#kept.look({ askedMs, owner: this.#watch.owner, isGone: seen === "gone" });
    const isMissing = seen === "gone" || seen === "none";
    if (this.#standDown !== null) {
      if (isMissing) return { kind: "dismissed" };
      if (this.#standDown === "person") await this.#passOn();
    }
    return isMissing && !this.#watch.hasSeen ? { kind: "needless" } : null;
  }

  async #isReplaced(epoch: number): Promise<boolean> {
    const { world, settings, journal } = this.#ports;
    if (elapsedMs(world) < this.#nextBeat) return false;
    // A supervisor that is stuck with the store's lock in its hands must be found too: by reading, without a beat.
    const { owner } = this.#watch;
    if (owner !== null && this.#options.holdsStore(owner.process)) return false;
    // Often enough that the other one sees a change at each of its looks.
    this.#nextBeat = elapsedMs(world) + settings.watchdog.lookMs / 3;
    await this.#leases.beat();
    return (await journal.lease(this.#address))?.epoch !== epoch;
  }

  async #takeMail(): Promise<readonly InboxRow[]> {
    const { journal } = this.#ports;
    const rows = await journal.inbox(this.#address);
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await journal.consume(this.#address, ids);
    return rows;
  }

  async #readMail(): Promise<void> {
    const rows = await this.#takeMail();
    for (const { by } of rows.filter((row) => shutdownIn(row) !== null))
      if (!by.startsWith("supervisor ")) this.#standDown = "person";
      else if (this.#isMeant(by)) this.#standDown ??= "farewell";
  }

  /** The farewell of a supervisor that this one asked to end, or of one that has a successor, changes nothing. */
  #isMeant(farewell: string): boolean {
    const { owner, isEnding } = this.#watch;
    return !isEnding && (owner === null || farewell === dismissalOf(owner));
  }

  /** Stopped by a person while a supervisor lives, or has just been started: it is asked as well. */
  async #passOn(): Promise<void> {
    const { journal, world } = this.#ports;
    const address = supervisorAddress(world.self);
    const { owner } = this.#watch;
    if (owner === null || (await journal.inbox(address)).length > 0) return;
    const request = { kind: "shutdown", stopAgents: false } as const;
    await journal.ask({ id: `req_down_${owner.id}`, address, request, by: "watchdog", at: world.now() });
  }
}

/** Notifies the sibling that its supervisor ends as it should; nobody is informed where nobody watches. */
export async function dismissWatchdog(
  { journal, world }: Pick<Ports, "journal" | "world">,
  by: Owner | string,
): Promise<Owner | null> {
  const address = watchdogAddress(world.self);
  const owner = (await journal.lease(address))?.owner ?? null;
  if (owner === null || world.liveness(owner.process) === "gone") return null;
  const request = { kind: "shutdown", stopAgents: false } as const;
  const who = typeof by === "string" ? by : dismissalOf(by);
  await journal.ask({ id: world.id("req"), address, request, by: who, at: world.now() });
  return owner;
}
