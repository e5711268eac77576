import type { HostLock, HostRole, LocksSeen } from "../../model/host/host-locks.ts";
import type { Ports } from "../ports.ts";

/** How often the locks of all hosts are looked at. */
const LOOK_MS = 300;

type Holding = Pick<Ports, "home" | "fence" | "journal" | "world" | "settings">;

/**
 * Holds a lock of the store for as long as this process lives, and shows the guard of the host's agents that it is held:
 * what other hosts see and what the guard sees is the same. Nothing where hosts do not share the store.
 */
export class LockHolder {
  readonly #ports: Holding;
  readonly #lock: HostLock | null;
  readonly #onLook: (seen: LocksSeen | null) => Promise<void>;
  #cancel: () => void = () => undefined;
  #isNotifying = false;
  #isClosed = false;

  constructor(ports: Holding, role: HostRole, onLook: (seen: LocksSeen | null) => Promise<void>) {
    this.#ports = ports;
    this.#onLook = onLook;
    const { home, journal, settings } = ports;
    const order = { host: home?.().id ?? "", role, leaseMs: settings.lease.ms };
    this.#lock = home === undefined ? null : (journal.hosts?.lock(order) ?? null);
  }

  /** Resolves after the first look, with any result; others follow until it is closed. */
  async begin(): Promise<void> {
    if (this.#lock === null) return;
    this.#ports.fence?.open();
    await this.#look(this.#lock);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    this.#ports.fence?.close();
    await this.#lock?.close();
  }

  async #look(lock: HostLock): Promise<void> {
    const seen = await lock.look();
    if (this.#isClosed) return;
    this.#ports.fence?.hold(seen !== null);
    this.#notify(seen);
    if (!this.#isClosed) this.#cancel = this.#ports.world.timer(LOOK_MS, () => void this.#look(lock));
  }

  /** A listener may wait for a store that is away; what the guard is shown must not. */
  #notify(seen: LocksSeen | null): void {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    // A fault of the store is met by the supervisor, or the sibling, as well; the next look sees the same again.
    void this.#onLook(seen)
      .catch(() => undefined)
      .finally(() => (this.#isNotifying = false));
  }
}
