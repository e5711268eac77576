export type HostRole = "supervisor" | "watchdog";

export interface LockOrder {
  readonly host: string;
  readonly role: HostRole;
  /** The server waits for a client that is cut off longer than this. */
  readonly leaseMs: number;
}

/** A lock of the database server that it takes back as soon as its process is gone. */
export interface HostLock {
  readonly isLost: boolean;
  /** Takes the lock if it is not held, and answers whose are; null where it cannot be held just now. */
  look(): Promise<LocksSeen | null>;
  close(): Promise<void>;
}

/** Locks that hosts hold, as one connection has seen them. */
export interface LocksSeen {
  /** The connection and the server: another one after either was lost. */
  readonly session: string;
  readonly hosts: readonly HostLocks[];
}

export interface HostLocks {
  readonly host: string;
  readonly supervisor: boolean;
  readonly watchdog: boolean;
}
