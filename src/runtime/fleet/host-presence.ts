import { homeAddress, type HomeHost } from "../../model/host/supervision.ts";
import { hostState, type HostFacts } from "../../model/host/host-record.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";

/** So soon after it has joined it says that it is up. */
const JOINED_MS = 500;

type Present = Pick<Ports, "home" | "hostFacts" | "journal" | "world" | "settings">;

/**
 * Shows other hosts that this one is there: by a lease of its own, for the runs whose files it has, and by its record,
 * for people. Nothing where hosts do not share the store.
 *
 * States: joining, up, left. A fault of the store only makes others believe that the host is gone, and is left to the
 * supervisor, which meets it too.
 */
export class HostPresence {
  readonly #ports: Present;
  readonly #leases: Leases;
  #epoch: number | null = null;
  #cancel: () => void = () => undefined;
  #phase: HostFacts["phase"] = "left";
  isDraining = false;

  constructor(ports: Present, leases: Leases) {
    this.#ports = ports;
    this.#leases = leases;
  }

  async join(): Promise<void> {
    const here = this.#ports.home?.();
    if (here === undefined) return;
    this.#phase = "joining";
    await this.#beat(here);
    this.#phase = "up";
    this.#beatLater(here, JOINED_MS);
  }

  /** Before its lease goes: a host that has left is not waited for. */
  async leave(): Promise<void> {
    const here = this.#ports.home?.();
    if (here === undefined || this.#phase === "left") return;
    this.#phase = "left";
    this.#cancel();
    await this.#beat(here);
    if (this.#epoch !== null)
      await this.#leases.release(homeAddress(here), this.#epoch).catch(() => undefined);
  }

  #beatLater(here: HomeHost, atMostMs = Infinity): void {
    const { world, settings } = this.#ports;
    this.#cancel = world.timer(Math.min(atMostMs, settings.lease.ms / 3), () => {
      void this.#beat(here).then(() => {
        if (this.#phase === "up") this.#beatLater(here);
      });
    });
  }

  async #beat(here: HomeHost): Promise<void> {
    const { journal, hostFacts, settings } = this.#ports;
    const { lease, limits, host } = settings;
    const own = {
      labels: host.labels,
      slots: limits.runsAtOnce,
      leaseMs: lease.ms,
      phase: this.#phase,
      draining: this.isDraining,
    };
    try {
      if (this.#phase !== "left") await this.#hold(here);
      if (journal.hosts === undefined || hostFacts === undefined) return;
      const facts = { ...here, ...hostFacts(), ...own };
      const { draining } = await journal.hosts.put(facts);
      const isNews = draining !== this.isDraining;
      this.isDraining = draining;
      // Others see at once that it was received.
      if (isNews) await journal.hosts.put({ ...facts, draining });
      const living = (await journal.hosts.list()).filter((one) => hostState(one) !== "down");
      this.#leases.allowOthers(Math.max(0, ...living.map((one) => one.facts.leaseMs)));
    } catch {
      // The next beat tells again.
    }
  }

  /** Held by the container before this one it comes later; and one that slept for long may have lost it. */
  async #hold(here: HomeHost): Promise<void> {
    const address = homeAddress(here);
    const isOurs = this.#epoch !== null && (await this.#ports.journal.lease(address))?.epoch === this.#epoch;
    if (isOurs) return;
    const taken = await this.#leases.take(address);
    this.#epoch = taken.kind === "taken" ? taken.epoch : null;
  }
}
