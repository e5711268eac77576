/** Identity of a process: a pid alone is reused, a pid with its start time is not. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** As the operating system tells it (clock ticks since boot, or a date); only compared for equality. */
  readonly startedAt: string;
  /** The PID namespace its pid belongs to, where the system names it: a container has one of its own. */
  readonly space?: string;
}

/** What a process was lost with: its machine was started again, or its container (its PID namespace) is gone. */
export const LOSSES = ["restart", "container"] as const;
export type Loss = (typeof LOSSES)[number];

/** Linux tells a start time as the boot's id and clock ticks; other systems as a date. */
const bootOf = ({ startedAt }: ProcessIdentity): string | undefined => /^([\w-]+):\d+$/.exec(startedAt)?.[1];

/**
 * How the place in which `other` ran differs from that of `self`; null where it is the same, or where nothing is known.
 * Of another host nothing is known, except where it is a container on the same kernel: then its boot is ours.
 */
export function placeLost(self: ProcessIdentity, other: ProcessIdentity): Loss | null {
  const [boot, before] = [bootOf(self), bootOf(other)];
  if (boot === undefined || before === undefined) return null;
  if (boot !== before) return self.host === other.host ? "restart" : null;
  return other.space === undefined || self.space === undefined || self.space === other.space
    ? null
    : "container";
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
