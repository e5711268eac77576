import type { ClockReading } from "./host/clock.ts";

/** Identity of a process: a pid alone is reused, a pid with its start time is not. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** As the operating system reports it (clock ticks since boot, or a date); only compared for equality. */
  readonly startedAt: string;
  /**
   * The PID namespace its pid belongs to, where the system names it: a container has one of its own. Empty where
   * nobody noted it, or it could not be read: then it is no namespace that can be compared.
   */
  readonly space?: string;
  /** The machine it runs on, where the system names it: two machines may have one host name. */
  readonly machine?: string;
}

/** What a process was lost with: its machine was started again, or its container (its PID namespace) is gone. */
export const LOSSES = ["restart", "container"] as const;
export type Loss = (typeof LOSSES)[number];

/** Linux reports a start time as the boot's id and clock ticks; other systems as a date. */
const bootOf = ({ startedAt }: ProcessIdentity): string | undefined => /^([\w-]+):\d+$/.exec(startedAt)?.[1];

/**
 * How the place in which `other` ran differs from that of `self`; null where it is the same, or where nothing is known.
 * Of another host nothing is known, except where it is a container on the same kernel: then its boot is ours.
 */
export function placeLost(self: ProcessIdentity, other: ProcessIdentity): Loss | null {
  const [boot, before] = [bootOf(self), bootOf(other)];
  if (boot === undefined || before === undefined) return null;
  if (boot !== before) return isOneHost(self, other) ? "restart" : null;
  return isOneSpace(self, other) ? null : "container";
}

/** The PID namespace that a Linux kernel starts with; every container has another one. */
const FIRST_SPACE = "pid:[4026531836]";

/**
 * Whether `self` may say of `other` that it is gone: `here`, by a look at its pid; `restarted`, since its machine was
 * started again; `elsewhere`, never. A pid says something within one namespace of one boot, no matter what the host is
 * called there. That the machine was started again is known only outside of containers, and only under the same name:
 * images and copies of machines have the same machine id in many places.
 */
export function whereaboutsOf(
  self: ProcessIdentity,
  other: ProcessIdentity,
): "here" | "restarted" | "elsewhere" {
  const [boot, before] = [bootOf(self), bootOf(other)];
  if (boot === undefined || before === undefined) {
    // Where there are namespaces, a process whose start could not be read is known by its beats alone.
    const isComparable = boot === before && self.space === undefined;
    return isComparable && isOneHost(self, other) ? "here" : "elsewhere";
  }
  if (boot === before) return isOneSpace(self, other) ? "here" : "elsewhere";
  const isOutside = self.space === FIRST_SPACE && other.space === FIRST_SPACE;
  const isNamed = self.machine !== undefined && other.machine !== undefined;
  return isOutside && isNamed && isOneHost(self, other) ? "restarted" : "elsewhere";
}

const isOneHost = (self: ProcessIdentity, other: ProcessIdentity): boolean =>
  self.host === other.host &&
  (self.machine === undefined || other.machine === undefined || self.machine === other.machine);

const isOneSpace = (self: ProcessIdentity, other: ProcessIdentity): boolean =>
  self.space === undefined || other.space === undefined || (self.space === other.space && self.space !== "");

/** Two containers may each have begun their first process within one tick of the clock. */
export const isSameProcess = (one: ProcessIdentity, other: ProcessIdentity): boolean =>
  one.host === other.host &&
  one.pid === other.pid &&
  one.startedAt === other.startedAt &&
  one.space === other.space;

/**
 * The name under which a host's supervisor is found: processes that can see and end each other have the same one. It is
 * the host's name alone where the system names neither machine nor namespace.
 */
export function hostKey({ host, machine, space }: ProcessIdentity): string {
  const parts = [machine, space === FIRST_SPACE ? undefined : space?.replaceAll(/\D/g, "")];
  return [host, ...parts.filter((part) => part !== undefined && part !== "")].join("~");
}

export interface SteadyTime {
  readonly clock: string;
  readonly ms: number;
}

/** Unknown is an answer of its own: a probe that failed has not seen a death. */
export type Liveness = "alive" | "gone" | "unknown";

/**
 * Everything a module needs from outside that is not its own port: time, chance, ids, timers, other processes.
 * It is given as a parameter everywhere, so that a simulated world runs the same code.
 */
export interface World {
  /** Who this process is, in leases and in the journal. */
  readonly self: ProcessIdentity;
  /** Milliseconds since the epoch. Read once per turn and then carried as a fact. */
  now(): number;
  /**
   * A clock that only goes forward, and its name: times of one name can be compared, also between processes and across
   * their deaths. Absent in worlds whose `now` is such a clock, and where nothing outlives a process.
   */
  steady?(): SteadyTime;
  /** All clocks of this machine at one instant; absent where there is but one. */
  clock?(): ClockReading;
  /** A number in [0, 1). */
  chance(): number;
  /** A new id such as `run_5kq…`. */
  id(prefix: string): string;
  /** Calls `fire` once after `delayMs` unless the returned function is called first. */
  timer(delayMs: number, fire: () => void): () => void;
  liveness(of: ProcessIdentity): Liveness;
  /**
   * Marks an instant at which what is on disk has just changed or is about to. In production nothing happens;
   * under test the process may die here. Names are `module.thing.before` and `room.thing.after`.
   */
  crashPoint(name: string): void;
}

/** For durations within one process: a clock that nobody sets. */
export const elapsedMs = (world: Pick<World, "now" | "steady">): number => world.steady?.().ms ?? world.now();
