import { z } from "zod";
import type { HostRecord } from "./host-record.ts";

/** A host by the id of its state folder, which holds what belongs to the files of its runs; and its name, for people. */
export const homeHostSchema = z.object({ id: z.string(), name: z.string() });
export type HomeHost = z.infer<typeof homeHostSchema>;

/** The lease that a host's supervisor holds while it works, beside its own. */
export const homeAddress = ({ id }: HomeHost): string => `home:${id}`;

/** A process that holds a lease, as seen by somebody who looks. */
export interface SeenOwner {
  readonly host: string;
  readonly pid: number;
  /** When its process was started; null where its id does not say. */
  readonly startedAt: number | null;
  /** How long ago it gave its last sign of life; null where it leaves none. */
  readonly beatAgeMs: number | null;
}

/** Starts of supervisors in a row, each after the one before had died soon. */
export interface Restarts {
  readonly inARow: number;
  /** When the next is started by its sibling, if none has come by then; null while a supervisor lives. */
  readonly nextAt: number | null;
}

/** Who looks after a run at one moment. */
export interface Supervision {
  /** Holds the run and gave a sign of life within one lease. */
  readonly owner: (SeenOwner & { readonly epoch: number }) | null;
  /** Holds the run in the store, and is gone or has been silent for a whole lease: as good as nobody. */
  readonly lost: SeenOwner | null;
  /** A supervisor at this store: it takes what nobody owns as soon as there is something to do. */
  readonly watcher: SeenOwner | null;
  /** Of supervisors of this host that died soon after their start; absent: none did. */
  readonly restarts?: Restarts | undefined;
  /** Those that share the store; absent where it is one machine's. */
  readonly hosts?: readonly HostRecord[] | undefined;
}

export const DEATH_KINDS = ["exception", "exit", "abort"] as const;

/** Ends of supervisors in turns of one run, by something that came out of that turn. */
export interface DeathState {
  /** Without progress of the run in between. */
  readonly inARow: number;
  /** The last of them, by id: one that is reported twice counts once. */
  readonly known: readonly string[];
  readonly last: { readonly at: number; readonly how: (typeof DEATH_KINDS)[number]; readonly text: string };
}

/** What a run's owner said when it claimed the run. */
export interface ClaimState {
  /** Null before anybody has. */
  readonly at: number | null;
  /** What it did not find, by name; empty once a person has let the run go on. */
  readonly missing: readonly string[];
  /** Absent: none since the run last made progress. */
  readonly deaths?: DeathState | undefined;
  /** Where the run's files are; absent where hosts do not share the store. */
  readonly home?: HomeHost | undefined;
  /** The owner, where it is another host that has none of these files: nothing of the run is touched there. */
  readonly away?: HomeHost | undefined;
  /** The run is blocked for want of its home, and continues when that is back. */
  readonly waits?: true | undefined;
}

/** How a process ends that can say nothing of it: by its own fault, unlike one that somebody kills. */
export const ABORT_SIGNALS: ReadonlySet<string> = new Set([
  "SIGABRT",
  "SIGSEGV",
  "SIGBUS",
  "SIGILL",
  "SIGFPE",
  "SIGTRAP",
  "SIGSYS",
]);
