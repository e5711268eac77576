import { mayTake } from "../../decide/fleet/placement.ts";
import { hasFiles, homeElsewhere } from "../../decide/workspace/away.ts";
import { homeAddress, type HomeHost } from "../../model/host/supervision.ts";
import { hostState } from "../../model/host/host-record.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { elapsedMs } from "../../model/world.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";

const NOTED_MAX = 1_000;
/** What a host does not take is looked at this much more rarely. */
const NOT_OURS_SCANS = 10;
/** So long others may take a run that this host cannot work; then it is taken here, and blocked with what is missing. */
const LACKING_LEASES = 10;

type Placed = Pick<Ports, "home" | "world" | "settings" | "journal" | "missingContext">;

/** What the supervisor of a host knows of hosts. */
interface OfHost {
  readonly isDraining?: (() => boolean) | undefined;
  readonly isHostGone?: ((host: string) => boolean) | undefined;
}

/**
 * Says of runs whether this host may work them, and leaves those to another host whose files it has. A home counts as
 * gone when nobody has held its lease for the time of a lease: a supervisor that is started again loses no run. Its locks
 * may show it sooner.
 */
export class AwayWatch {
  readonly #ports: Placed;
  readonly #leases: Leases;
  readonly #host: OfHost;
  readonly #firstSeen = new Map<string, number>();
  readonly #leftUntil = new Map<string, number>();

  /** Without `isDraining` it is no host that looks for work, but somebody who wants a run worked here. */
  constructor(ports: Placed, leases: Leases, host: OfHost = {}) {
    this.#ports = ports;
    this.#leases = leases;
    this.#host = host;
  }

  /** Left to its home a moment ago. */
  isLeft(run: string): boolean {
    return this.#now() < (this.#leftUntil.get(run) ?? -Infinity);
  }

  /** `lost`: the host that has them is gone. `left`: it lives or may come back, or others are to take the run. */
  async filesOf(state: RunState, epoch: number): Promise<"here" | "left" | "lost"> {
    const here = this.#ports.home?.();
    const home = here === undefined ? null : homeElsewhere(state, here);
    const { scanMs } = this.#ports.settings.supervisor;
    if (home !== null) return (await this.#isGone(home)) ? "lost" : this.#leave(state, epoch, scanMs);
    const isForOthers = here !== undefined && !hasFiles(state) && (await this.#isForOthers(state, here));
    return isForOthers ? this.#leave(state, epoch, NOT_OURS_SCANS * scanMs) : "here";
  }

  /** While this host drains, or where the run may not be worked here; and for some time where it lacks what the run needs, and another host may have it. */
  async #isForOthers(state: RunState, here: HomeHost): Promise<boolean> {
    const { isDraining } = this.#host;
    if (isDraining === undefined) return false;
    const { labels } = this.#ports.settings.host;
    if (isDraining() || !mayTake(state.placement, { ...here, labels })) return true;
    if ((this.#ports.missingContext?.(state) ?? []).length === 0) return false;
    const others = (await this.#ports.journal.hosts?.list()) ?? [];
    if (!others.some((one) => one.facts.id !== here.id && hostState(one) === "up")) return false;
    return this.#since(`run:${state.run}`) < LACKING_LEASES * this.#leases.leaseMs;
  }

  async #leave({ run }: RunState, epoch: number, forMs: number): Promise<"left"> {
    if (this.#leftUntil.size >= NOTED_MAX) this.#leftUntil.clear();
    this.#leftUntil.set(run, this.#now() + forMs);
    await this.#leases.release(run, epoch);
    return "left";
  }

  async #isGone(home: HomeHost): Promise<boolean> {
    if (this.#host.isHostGone?.(home.id) === true) return true;
    if (await this.#leases.isHeld(homeAddress(home))) {
      this.#firstSeen.delete(home.id);
      return false;
    }
    const holder = (await this.#ports.journal.lease(homeAddress(home)))?.owner ?? null;
    // Silent for a whole lease. One that has let go, or whose process is gone, may be about to come back.
    if (holder !== null && this.#ports.world.liveness(holder.process) !== "gone") return true;
    return this.#since(home.id) >= this.#leases.leaseMs;
  }

  /** How long ago this was asked first. */
  #since(what: string): number {
    const since = this.#firstSeen.get(what);
    if (since !== undefined) return this.#now() - since;
    if (this.#firstSeen.size >= NOTED_MAX) this.#firstSeen.clear();
    this.#firstSeen.set(what, this.#now());
    return 0;
  }

  #now(): number {
    return elapsedMs(this.#ports.world);
  }
}
