import type { Holder, Lease, Owner } from "../../journal/journal.ts";
import { restingRuns } from "./find-work.ts";
import { keepWatchdog, type SiblingOptions } from "./peer-watch.ts";
import { isSessionAtWork } from "../continuous/read-continuous.ts";
import { isMissionLeft } from "../mission/missions.ts";
import type { Leases } from "../leases.ts";
import { FleetWatch, type FleetOptions } from "../fleet/fleet-watch.ts";
import { HostPresence } from "../fleet/host-presence.ts";
import { freeLostHosts, SUPERVISOR_PREFIX, supervisorAddress } from "./lost-hosts.ts";
import { elapsedMs } from "../../model/world.ts";
import type { Ports } from "../ports.ts";
import { StoreRoom } from "./store-room.ts";
import { Supervisor } from "./supervisor.ts";
import type { SupervisorEnd, SupervisorOptions } from "./supervisor-options.ts";
import { dismissWatchdog } from "./watchdog.ts";

export type HostEnd =
  /** Another supervisor of this host holds the store. */
  | { readonly kind: "held"; readonly by: Owner }
  /** It lost its lease, having been silent for too long, and another has taken its place. */
  | { readonly kind: "replaced" }
  | SupervisorEnd;

export interface HostOptions extends Omit<SupervisorOptions, "only" | "held"> {
  /** Called when the lease is taken and work begins. */
  readonly onBegin?: () => void;
  /** How the sibling that watches this one is started and ended; absent: there is none. */
  readonly sibling?: SiblingOptions;
  /** How the guard of agents is started, and where what becomes of them is reported, where hosts share the store. */
  readonly fleet?: FleetOptions;
}

/**
 * The one supervisor of a host on a store: it works under a lease of its own, so that there is no second.
 *
 * States: free, then working under the lease, then free again. Invariants:
 * 1. The lease is taken before the first look at the store and let go after the last run was. Mail that waited for
 *    a predecessor is dropped: a shutdown that was meant for it must not end this one.
 * 2. When idle it lets go first and then looks once more. The one that puts work into the store and then finds the
 *    lease held is therefore seen; the one that finds it free starts the next supervisor.
 * 3. A supervisor that finds its lease taken by another ends: its runs were fenced in the same way (I9).
 */
export class HostSupervisor {
  readonly address: string;
  readonly #ports: Ports;
  readonly #leases: Leases;
  #working: Supervisor | null = null;
  #stopped: { readonly stopAgents: boolean } | null = null;

  constructor(ports: Ports, leases: Leases) {
    this.#ports = ports;
    this.#leases = leases;
    this.address = supervisorAddress(ports.world.self);
  }

  /** Who supervises this host and may be alive; null for nobody. */
  async holder(): Promise<Owner | null> {
    return (await this.#held())?.owner ?? null;
  }

  /** Asks the one that supervises this host to end. */
  async askToEnd(order: {
    readonly stopAgents: boolean;
    readonly by: string;
    /** The id to ask under; asked again under the same one, it is asked once. */
    readonly request?: string;
  }): Promise<void> {
    const { world, journal } = this.#ports;
    const { stopAgents, by, request = world.id("req") } = order;
    await journal.ask({
      id: request,
      address: (await this.#held())?.address ?? this.address,
      request: { kind: "shutdown", stopAgents },
      by,
      at: world.now(),
    });
  }

  /** Under our address; else under that of an earlier version, which named hosts otherwise: then its process is seen. */
  async #held(): Promise<{ readonly address: string; readonly owner: Owner } | null> {
    const { world, journal } = this.#ports;
    const lease = await journal.lease(this.address);
    if (lease !== null && lease.owner !== null && (await this.#leases.isHeld(this.address)))
      return { address: this.address, owner: lease.owner };
    const isOlder = ({ address, owner }: Holder): boolean =>
      address.startsWith(SUPERVISOR_PREFIX) &&
      owner.process.host === world.self.host &&
      world.liveness(owner.process) === "alive";
    return (await journal.holders()).find(isOlder) ?? null;
  }

  stop(stopAgents = false): void {
    this.#stopped = { stopAgents };
    this.#ports.journal.leave?.();
    this.#working?.stop(stopAgents);
  }

  /** Works until it is asked to stop, idle for too long, or replaced. Throws the fault that ended it. */
  async work(options: HostOptions = {}): Promise<HostEnd> {
    const leftAlone = new Set<string>();
    const room = new StoreRoom(this.#ports.world, options);
    for (let end: HostEnd | null = null; ;) {
      const askedMs = elapsedMs(this.#ports.world);
      const taken = await room.until(() => this.#leases.take(this.address));
      if (taken.kind === "held") return end ?? heldBy(taken.lease, this.#leases.owner);
      const fleet = new FleetWatch(this.#ports, this.#leases, options.fleet ?? {});
      try {
        await fleet.begin(askedMs);
        end = await this.#workUnder(taken.epoch, { ...options, ...ofFleet(fleet) }, { leftAlone, fleet });
      } finally {
        await fleet.close();
      }
      if (end.kind === "idle" && (await this.#isWorkLeft(leftAlone))) continue;
      // Said last: the one that dies before it has not ended as it should, and is brought back.
      if (end.kind !== "replaced" && options.sibling !== undefined)
        await dismissWatchdog(this.#ports, this.#leases.owner).catch(() => undefined);
      return end;
    }
  }

  async #workUnder(
    epoch: number,
    options: HostOptions,
    { leftAlone, fleet }: { readonly leftAlone: Set<string>; readonly fleet: FleetWatch },
  ): Promise<HostEnd> {
    const onRunFault = (run: string, fault: unknown): void => {
      leftAlone.add(run);
      options.onRunFault?.(run, fault);
    };
    const presence = new HostPresence(this.#ports, this.#leases);
    const isDraining = (): boolean => presence.isDraining;
    const supervisor = new Supervisor(this.#ports, { ...options, onRunFault, isDraining }, this.#leases);
    fleet.watch(supervisor);
    const watch = this.#watchLease(epoch, supervisor);
    let leaveSibling = (): void => undefined;
    try {
      await this.#dropOldMail();
      await presence.join();
      options.onBegin?.();
      // After it has begun: the sibling is started with the settings of this one.
      if (options.sibling !== undefined) leaveSibling = keepWatchdog(this.#ports, options.sibling);
      this.#working = supervisor;
      if (this.#stopped !== null) supervisor.stop(this.#stopped.stopAgents);
      const end = await supervisor.work();
      return watch.lost() ? { kind: "replaced" } : end;
    } finally {
      watch.close();
      leaveSibling();
      this.#working = null;
      await presence.leave();
      // A lease that cannot be let go is taken over as soon as this process is gone; a fault of the work goes first.
      await this.#leases.release(this.address, epoch).catch(() => undefined);
    }
  }

  async #dropOldMail(): Promise<void> {
    const rows = await this.#ports.journal.inbox(this.address);
    if (rows.length === 0) return;
    await this.#ports.journal.consume(
      this.address,
      rows.map((row) => row.id),
    );
  }

  #watchLease(epoch: number, supervisor: Supervisor): { lost(): boolean; close(): void } {
    const { world, journal, settings } = this.#ports;
    let lost = false;
    let closed = false;
    let cancel = (): void => undefined;
    const look = async (): Promise<void> => {
      const lease = await journal.lease(this.address);
      lost = lease?.epoch !== epoch;
      if (lost) return supervisor.stop();
      await freeLostHosts(this.#ports, this.#leases);
      arm();
    };
    // A look that fails is left to the supervisor, whose own next look fails in the same way and ends it.
    const arm = (): void => {
      if (!closed) cancel = world.timer(settings.lease.ms, () => void look().catch(arm));
    };
    arm();
    const close = (): void => {
      closed = true;
      cancel();
    };
    return { lost: () => lost, close };
  }

  async #isWorkLeft(leftAlone: ReadonlySet<string>): Promise<boolean> {
    const { journal } = this.#ports;
    const onDamaged = (): void => undefined;
    const working = await journal.runs({ statuses: ["queued", "running", "pausing"], onDamaged });
    const mail = (await journal.addressesWithMail()).filter((address) => !address.includes(":"));
    if (this.#ports.goals !== undefined && (await isSessionAtWork(this.#ports))) return true;
    if (this.#ports.missions !== undefined && (await isMissionLeft(this.#ports))) return true;
    const soon = this.#ports.world.now() + this.#ports.settings.supervisor.stayForMs;
    const waking = (await restingRuns(journal, onDamaged)).filter(({ wakeAt }) => wakeAt <= soon);
    for (const run of new Set([...[...working, ...waking].map((listing) => listing.run), ...mail]))
      if (!leftAlone.has(run) && !(await this.#leases.isHeld(run))) return true;
    return false;
  }
}

const ofFleet = (fleet: FleetWatch): Pick<SupervisorOptions, "isHostGone" | "onBeat"> => ({
  isHostGone: (host) => fleet.hosts.isGone(host),
  onBeat: (sentMs) => fleet.answered(sentMs),
});

/** A lease that is held has an owner; should it have been released meanwhile, nobody else is better known. */
const heldBy = (lease: Lease, unknown: Owner): HostEnd => ({ kind: "held", by: lease.owner ?? unknown });
