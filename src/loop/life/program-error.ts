import { Fault, isFault, type FaultCode } from "../../model/fault.ts";

/**
 * These end this life of the workflow function and say nothing about what it was doing: they are never recorded as its
 * failure.
 */
const STOPS: readonly FaultCode[] = [
  "closed",
  "cancelled",
  "diverged",
  "usage",
  "broken_promise",
  "store_unavailable",
  "store_full",
  "store_readonly",
  "store_failed",
  "store_busy",
  "journal_damaged",
];
/** Faults that were recorded as the failure of a step or child: catching one again stops nothing. */
const recordedOnes = new WeakSet<Error>();
export const noteRecorded = (error: Error): void => void recordedOnes.add(error);

export const isStop = (error: unknown): error is Fault =>
  isFault(error) && STOPS.includes(error.code) && !recordedOnes.has(error);

export const closedFault = (run: string): Fault =>
  new Fault(
    "closed",
    `the store was closed while ${run} was at work; it goes on with the next hf.run or resumeAll`,
    {
      retry: "later",
    },
  );

export const cancelledFault = (run: string): Fault => new Fault("cancelled", `${run} was cancelled`);

export const divergedFault = (
  run: string,
  { key, recorded, asked }: { readonly key: string; readonly recorded: string; readonly asked: string },
): Fault =>
  new Fault(
    "diverged",
    `the workflow function of ${run} diverged from its journal: recorded is ${recorded}, but the function ${asked}`,
    { retry: "after-human", details: { key, recorded, asked } },
  );

export const iterationOver = (name: string, i: number): Fault =>
  new Fault(
    "cancelled",
    `iteration ${String(i)} of "${name}" has ended; what it left running is not recorded any more`,
  );
