import { isStray } from "../../decide/fleet/stray-sessions.ts";
import { elapsedMs } from "../../model/world.ts";
import type { Leases } from "../leases.ts";
import { loadRun } from "../load-run.ts";
import type { Ports } from "../ports.ts";
import type { OwnedRun } from "./owned-run.ts";

/** After so long a session that nobody here adopts is looked into, and again. */
const STRAY_MS = 5_000;
const STRAY_GRACE_MS = 10_000;

/**
 * Lets sessions go on that were frozen while nobody could supervise them, once this process does: what the lease says is
 * looked at right before. Ends those whose run has gone on elsewhere or is over, and says so.
 */
export class FrozenSessions {
  readonly #ports: Ports;
  readonly #leases: Leases;
  readonly #say: (text: string) => void;
  #strayAt = Infinity;

  constructor(ports: Ports, leases: Leases, say: (text: string) => void) {
    this.#ports = ports;
    this.#leases = leases;
    this.#say = say;
  }

  async look(owned: readonly OwnedRun[]): Promise<void> {
    const { fence, world } = this.#ports;
    if (fence === undefined) return;
    for (const { run, sessions } of owned) for (const session of sessions) fence.guard(session, run);
    const frozen = fence.frozen();
    const now = elapsedMs(world);
    if (frozen.length === 0) this.#strayAt = now + STRAY_MS;
    const byRun = new Map(owned.map((one) => [one.run, one]));
    for (const { name, run, since } of frozen) {
      const owner = byRun.get(run ?? "");
      if (owner !== undefined) await this.#thaw(name, owner, since);
    }
    if (now < this.#strayAt) return;
    this.#strayAt = now + STRAY_MS;
    for (const { name, run } of frozen) if (!byRun.has(run ?? "")) await this.#endStray(name, run);
  }

  async #thaw(
    name: string,
    { run, epoch, stoodStill }: OwnedRun,
    since: { readonly clock: string; readonly ms: number } | null,
  ): Promise<void> {
    const { fence, journal, world } = this.#ports;
    const now = world.steady?.();
    const forMs = since === null || since.clock !== now?.clock ? 0 : now.ms - since.ms;
    // By this append an owner learns that the run is somebody else's by now.
    await stoodStill(forMs);
    const lease = await journal.lease(run);
    if (lease?.epoch !== epoch || lease.owner?.id !== this.#leases.owner.id) return;
    world.crashPoint("fleet.thaw.before");
    fence?.thaw(name);
    world.crashPoint("fleet.thaw.after");
    this.#say(`${name} goes on after ${(forMs / 1_000).toFixed(1)} s frozen`);
  }

  async #endStray(name: string, run: string | null): Promise<void> {
    const { fence, journal, home, sessionsHere } = this.#ports;
    const here = home?.();
    if (here === undefined || run === null) return;
    if (fence?.lives(name) === false) return fence.forget(name);
    if (!isStray(await loadRun(journal, run), here)) return;
    const outcome = await sessionsHere?.end(name, STRAY_GRACE_MS);
    if (outcome?.kind === "ended") fence?.forget(name);
    const how = outcome?.kind === "failed" ? `could not be ended: ${outcome.text}` : "was ended";
    this.#say(`${name}, whose run has gone on without it, ${how}`);
  }
}
