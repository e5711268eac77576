import { permitUntil } from "../../model/host/permit.ts";
import { elapsedMs } from "../../model/world.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";
import { FrozenSessions } from "./frozen-sessions.ts";
import { HostWatch } from "./host-watch.ts";
import { LockHolder } from "./lock-holder.ts";
import type { OwnedRun } from "./owned-run.ts";

/** How the guard of the host's agents is started. */
export interface GuardHands {
  start(): void;
}

export interface FleetOptions {
  readonly guard?: GuardHands | undefined;
  readonly say?: ((text: string) => void) | undefined;
}

/** What it needs of the supervisor that works meanwhile. */
export interface Working {
  ownedRuns(): readonly OwnedRun[];
  /** Somebody is gone whose runs may be taken. */
  lookAtAll(): void;
}

/** A guard that does not come up is started again no sooner. */
const GUARD_AGAIN_MS = 5_000;
const GUARD_WAIT_MS = 10_000;
const GUARD_LOOK_MS = 50;
const SWEEP_MS = 60_000;

/**
 * What a supervisor does because its host is one of several: it holds its lock, renews the permit of its agents with
 * each answered beat, keeps their guard alive, lets go on what was frozen and is its own, and knows who else is gone.
 *
 * States: begun, closed. Nothing where hosts do not share the store. Invariants:
 * 1. No agent is started or adopted before a guard lives, or has failed to come up for long.
 * 2. Others are gone only by what was seen over the connection of the own lock (`decideHosts`).
 */
export class FleetWatch {
  readonly hosts: HostWatch;
  readonly #ports: Ports;
  readonly #leases: Leases;
  readonly #options: FleetOptions;
  readonly #lock: LockHolder;
  readonly #frozen: FrozenSessions;
  #working: Working | null = null;
  #guardAt = -Infinity;
  #sweepAt: number;

  constructor(ports: Ports, leases: Leases, options: FleetOptions) {
    this.#ports = ports;
    this.#leases = leases;
    this.#options = options;
    this.hosts = new HostWatch(ports);
    this.#frozen = new FrozenSessions(ports, leases, options.say ?? (() => undefined));
    this.#sweepAt = elapsedMs(ports.world) + SWEEP_MS;
    this.#lock = new LockHolder(ports, "supervisor", async (seen) => {
      if (seen !== null && (await this.hosts.look(seen))) this.#working?.lookAtAll();
      await this.#lookHere(seen !== null);
    });
  }

  /** The permit begins with the lease that was asked for then. */
  async begin(askedMs: number): Promise<void> {
    if (this.#ports.home === undefined) return;
    await this.#lock.begin();
    this.answered(askedMs);
    this.#leases.believe((owner) => this.hosts.isOwnerGone(owner));
    this.#startGuard();
    await this.#untilGuarded();
  }

  /** The store has answered a beat that was sent then. */
  answered(sentMs: number): void {
    this.#ports.fence?.permit(permitUntil(sentMs, this.#leases.leaseMs));
  }

  watch(working: Working): void {
    this.#working = working;
  }

  async close(): Promise<void> {
    this.#working = null;
    this.#leases.believe(null);
    await this.#lock.close();
  }

  async #lookHere(isHeld: boolean): Promise<void> {
    const { fence, world } = this.#ports;
    const now = elapsedMs(world);
    if (fence !== undefined && now >= this.#guardAt + GUARD_AGAIN_MS && !fence.hasGuard()) this.#startGuard();
    if (isHeld && this.#working !== null) await this.#frozen.look(this.#working.ownedRuns());
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + SWEEP_MS;
    fence?.sweep();
  }

  #startGuard(): void {
    this.#guardAt = elapsedMs(this.#ports.world);
    this.#options.guard?.start();
  }

  async #untilGuarded(): Promise<void> {
    const { fence, world } = this.#ports;
    const until = elapsedMs(world) + GUARD_WAIT_MS;
    const isAwaited = fence !== undefined && this.#options.guard !== undefined;
    while (isAwaited && !fence.hasGuard() && elapsedMs(world) < until)
      await new Promise<void>((resolve) => void world.timer(GUARD_LOOK_MS, resolve));
  }
}
