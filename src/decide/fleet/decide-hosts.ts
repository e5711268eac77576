import type { LocksSeen } from "../../model/host/host-locks.ts";

/** What is remembered of the locks of other hosts from look to look. */
export interface HostsMemory {
  /** The connection and the server that all of this was seen by; null before the first look. */
  readonly session: string | null;
  /** Before this nothing that is missing counts: the locks of a server that has just begun come one by one. */
  readonly graceUntil: number;
  readonly hosts: Readonly<Record<string, HostMemory>>;
}

interface HostMemory {
  /** Since when neither lock is held by a host that has held one; null while one is. */
  readonly goneSince: number | null;
}

export interface HostsLimits {
  readonly leaseMs: number;
}

/** Agents of a host whose supervision is gone are frozen within a second. */
const FREEZE_MS = 1_500;
/** So many hosts at once are no death of each. */
const MASS_MIN = 2;

export const newHostsMemory = (): HostsMemory => ({ session: null, graceUntil: 0, hosts: {} });

/**
 * Who of the hosts has neither a supervisor nor its sibling any more. Only what was seen to be held can be missing, and
 * only while it is looked at over one connection to one server: a restart or a failover takes all locks away, and they are
 * ignored for a lease then. When more than half of the others go at once, none of them is taken to be gone: their
 * beats tell, a lease later.
 */
export function decideHosts(
  before: HostsMemory,
  seen: LocksSeen,
  { now, own, leaseMs }: HostsLimits & { readonly now: number; readonly own: string },
): { readonly memory: HostsMemory; readonly gone: readonly string[] } {
  const isSame = before.session === seen.session;
  const graceUntil = isSame ? before.graceUntil : now + leaseMs;
  const known = isSame ? before.hosts : {};
  const hosts: Record<string, HostMemory> = {};
  for (const { host, supervisor, watchdog } of seen.hosts) {
    if (host === own) continue;
    const was = known[host];
    if (supervisor || watchdog) hosts[host] = { goneSince: null };
    else if (was !== undefined) hosts[host] = { goneSince: was.goneSince ?? now };
  }
  const memory = { session: seen.session, graceUntil, hosts };
  return { memory, gone: now < graceUntil ? [] : goneOf(memory, now, leaseMs) };
}

function goneOf({ hosts }: HostsMemory, now: number, leaseMs: number): string[] {
  const missing = Object.entries(hosts).flatMap(([host, { goneSince }]) =>
    goneSince === null ? [] : [{ host, forMs: now - goneSince }],
  );
  const lately = missing.filter(({ forMs }) => forMs < leaseMs).length;
  const living = Object.keys(hosts).length - missing.length;
  const isMass = lately >= MASS_MIN && lately > living;
  return missing.filter(({ forMs }) => forMs >= (isMass ? leaseMs : FREEZE_MS)).map(({ host }) => host);
}
