/** Identity of a process: a pid alone is reused, a pid with its start time is not. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** As the operating system tells it (clock ticks since boot, or a date); only compared for equality. */
  readonly startedAt: string;
}

/** Unknown is an answer of its own: a probe that failed has not seen a death. */
export type Liveness = "alive" | "gone" | "unknown";

/**
 * Everything a room needs from outside that is not its own port: time, chance, ids, timers, other processes.
 * It is given as a parameter everywhere, so that a simulated world runs the same code.
 */
export interface World {
  /** Who this process is, in leases and in the journal. */
  readonly self: ProcessIdentity;
  /** Milliseconds since the epoch. Read once per turn and then carried as a fact. */
  now(): number;
  /** A number in [0, 1). */
  chance(): number;
  /** A new id such as `run_5kq…`. */
  id(prefix: string): string;
  /** Calls `fire` once after `delayMs` unless the returned function is called first. */
  timer(delayMs: number, fire: () => void): () => void;
  liveness(of: ProcessIdentity): Liveness;
  /**
   * Marks an instant at which what is on disk has just changed or is about to. In production nothing happens;
   * under test the process may die here. Names are `room.thing.before` and `room.thing.after`.
   */
  crashPoint(name: string): void;
}
