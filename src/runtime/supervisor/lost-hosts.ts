import { hostKey, type ProcessIdentity } from "../../model/world.ts";
import type { Leases } from "../leases.ts";
import type { Ports } from "../ports.ts";

/** Far beyond a lease: a container that was only paused for a while finds its own as it left it. */
const LOST_AFTER_MS = 3_600_000;

/**
 * Frees the leases of supervisors and siblings whose container or machine is gone. Nobody else takes them over: the next
 * container has a name of its own, and without this their number would only grow.
 */
export async function freeLostHosts(
  { journal, world }: Pick<Ports, "journal" | "world">,
  leases: Leases,
): Promise<void> {
  const own = [supervisorAddress(world.self), watchdogAddress(world.self)];
  for (const { address, beatAgeMs } of await journal.holders()) {
    const isHost = /^(supervisor|watchdog|home):/.test(address) && !own.includes(address);
    if (!isHost || (beatAgeMs ?? LOST_AFTER_MS) < LOST_AFTER_MS) continue;
    const taken = await leases.take(address);
    if (taken.kind === "taken") await leases.release(address, taken.epoch);
  }
}

export const SUPERVISOR_PREFIX = "supervisor:";

/** Where a host's supervisor gets its mail, and the lease under which there is only one. */
export const supervisorAddress = (self: ProcessIdentity): string => `${SUPERVISOR_PREFIX}${hostKey(self)}`;

/** The same for the sibling that watches it. */
export const watchdogAddress = (self: ProcessIdentity): string => `watchdog:${hostKey(self)}`;
