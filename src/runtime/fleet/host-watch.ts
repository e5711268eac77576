import { decideHosts, newHostsMemory } from "../../decide/fleet/decide-hosts.ts";
import type { Owner } from "../../journal/journal.ts";
import { homeAddress } from "../../model/host/supervision.ts";
import type { LocksSeen } from "../../model/host/host-locks.ts";
import { elapsedMs } from "../../model/world.ts";
import type { Ports } from "../ports.ts";

type Watching = Pick<Ports, "home" | "journal" | "world" | "settings">;

/** Which hosts, and which owners of leases there, are gone by the locks that they held. */
export class HostWatch {
  readonly #ports: Watching;
  #memory = newHostsMemory();
  #hosts: ReadonlySet<string> = new Set();
  #owners: ReadonlySet<string> = new Set();

  constructor(ports: Watching) {
    this.#ports = ports;
  }

  isGone(host: string): boolean {
    return this.#hosts.has(host);
  }

  isOwnerGone({ id }: Pick<Owner, "id">): boolean {
    return this.#owners.has(id);
  }

  /** Takes a look into account; answers whether somebody is gone who was there before. */
  async look(seen: LocksSeen): Promise<boolean> {
    const { home, world, settings } = this.#ports;
    const at = { now: elapsedMs(world), own: home?.().id ?? "", leaseMs: settings.lease.ms };
    const { memory, gone } = decideHosts(this.#memory, seen, at);
    this.#memory = memory;
    const isNews = gone.some((host) => !this.#hosts.has(host));
    // A host that is back counts at once; one that is gone counts when its runs are known.
    const owners = isNews ? await this.#ownersOf(gone) : this.#owners;
    this.#hosts = new Set(gone);
    this.#owners = gone.length === 0 ? new Set() : owners;
    return isNews;
  }

  async #ownersOf(gone: readonly string[]): Promise<ReadonlySet<string>> {
    const homes = new Set(gone.map((id) => homeAddress({ id, name: "" })));
    const holders = await this.#ports.journal.holders();
    return new Set(holders.filter(({ address }) => homes.has(address)).map(({ owner }) => owner.id));
  }
}
