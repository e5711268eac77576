import type { BodyError } from "../model/body-events.ts";
import { Fault, errorText, isFault, type FaultCode } from "../model/fault.ts";

/** These end this life of the body and say nothing about what it was doing: they are never recorded as its failure. */
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
export const isStop = (error: unknown): error is Fault => isFault(error) && STOPS.includes(error.code);

export const recordedError = (error: unknown): BodyError => ({
  name: error instanceof Error ? error.name : "Error",
  message: errorText(error),
  ...(error instanceof Error && "code" in error && typeof error.code === "string"
    ? { code: error.code }
    : {}),
});

/** The error as it was, for whoever catches it. */
export function restoredError({ name, message, code }: BodyError): Error {
  const error = new Error(message);
  error.name = name;
  return code === undefined ? error : Object.assign(error, { code });
}

export const closedFault = (run: string): Fault =>
  new Fault(
    "closed",
    `the store was closed while ${run} was at work; it goes on with the next hf.run or resumeAll`,
    {
      retry: "later",
    },
  );

export const cancelledFault = (run: string): Fault => new Fault("cancelled", `${run} was cancelled`);

export const divergedFault = (run: string, recorded: string, asked: string): Fault =>
  new Fault(
    "diverged",
    `the body of ${run} diverged from its journal: recorded is ${recorded}, but the body ${asked}; give the changed part a new name, or start a new run`,
    { retry: "after-human", details: { recorded, asked } },
  );

export const iterationOver = (name: string, i: number): Fault =>
  new Fault(
    "cancelled",
    `iteration ${String(i)} of "${name}" has ended; what it left running is not recorded any more`,
  );
