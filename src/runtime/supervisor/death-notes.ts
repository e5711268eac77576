import type { DeathState, Restarts } from "../../model/host/supervision.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { isFault } from "../../model/fault.ts";

export type DeathKind = DeathState["last"]["how"];

/** The end of a supervisor of this host in a turn of a run, written down by the process that ended. */
export interface DeathNote {
  readonly id: string;
  readonly run: string;
  readonly how: DeathKind;
  readonly text: string;
  readonly at: number;
}

/**
 * Knows in whose turn a process ends. What is on disk: while something of a run is decided, whose turn it is; a note,
 * whole, before a process ends by an exception, an exit or an abort that came out of a turn; none any more once the
 * journal of that run has taken it up. One that a native abort or a bad access ends can write nothing: its parent, the
 * watchdog, sees the signal and writes the note from whose turn it was. A process that is killed, or dies with its
 * machine or for want of memory, leaves none.
 */
export interface DeathNotes {
  /** Does work of a run; what ends this process out of that work, however late, is noted as that run's. */
  within<T>(run: string, work: () => T): T;
  /** Decides something of a run, at one stretch; whose turn it is stands on disk meanwhile. */
  turn<T>(run: string, decide: () => T): T;
  /** Notes that another process of this host was ended by one of `ABORT_SIGNALS`, if that was in a turn. */
  noteAbort(pid: number, signal: string): void;
  /** Notes that this process ends because of what was thrown in a turn of the run. */
  note(run: string, how: DeathKind, thrown: unknown): void;
  /** Notes about the run that its journal has not taken up, oldest first. */
  of(run: string): readonly DeathNote[];
  /** The journal of their run has taken them up. */
  taken(notes: readonly DeathNote[]): void;
  /** How often supervisors of this host had to be started in a row, as their sibling has written it down. */
  readonly restarts: { read(): Restarts | null; write(restarts: Restarts | null): void };
}

/** What a run's journal says of it. */
export const diedOf = ({ id, how, text, at }: DeathNote): RunEvent => ({
  type: "SupervisorDied",
  data: { death: id, how, text, diedAt: at },
});

/** Codes of faults that say that something of ours, or in a turn, is wrong; the others are of the store or the host. */
const OWN_FAULTS: ReadonlySet<string> = new Set(["broken_promise", "diverged"]);
const HOST_ERRORS = /^(ENOMEM|EMFILE|ENFILE|ENOSPC|EDQUOT|EIO|EROFS|EAGAIN)$/;

/** Whether what was thrown may be charged to the turn that it came out of: a fault of the store or of the host may not. */
export function isOfTurn(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return true;
  if (thrown.cause instanceof Error && !isOfTurn(thrown.cause)) return false;
  if (isFault(thrown)) return OWN_FAULTS.has(thrown.code);
  if ("code" in thrown && typeof thrown.code === "string" && HOST_ERRORS.test(thrown.code)) return false;
  return !/out of memory|allocation failed/i.test(thrown.message);
}
