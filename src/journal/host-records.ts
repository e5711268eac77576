import type { HostLock, LockOrder } from "../model/host/host-locks.ts";
import type { HostFacts, HostRecord } from "../model/host/host-record.ts";

/** What hosts that share a store say of themselves there, and which queued runs they are offered. */
export interface HostRecords {
  /** In place of what the host said before; answers whether somebody has asked it to drain. */
  put(facts: HostFacts): Promise<{ readonly draining: boolean }>;
  /** In the order in which they joined. */
  list(): Promise<HostRecord[]>;
  /** `by` asks the host to take nothing new; null takes that back. */
  drain(id: string, by: string | null): Promise<void>;
  /** A lock that the server takes back as soon as this process is gone. It is taken by the first look. */
  lock(order: LockOrder): HostLock;
  readonly offers: Offers;
}

/**
 * Queued runs, in the order in which hosts are to take them: fair between owners and repositories. There is an offer
 * exactly while a run is queued. It is only a hint: the lease of the run decides who works it.
 */
export interface Offers {
  /** The placements that queued runs ask for, each once, as text. */
  asked(): Promise<string[]>;
  /** Takes the first free offers of these placements; no other host is given them for `forMs`. */
  pull(order: PullOrder): Promise<string[]>;
  /** They are offered to others at once. */
  giveBack(runs: readonly string[]): Promise<void>;
}

export interface PullOrder {
  readonly asked: readonly string[];
  readonly max: number;
  readonly forMs: number;
  /** Runs that this host has just left to others. */
  readonly except: readonly string[];
}
