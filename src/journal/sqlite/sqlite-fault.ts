import { holderText, lockHolder } from "./lock-holder.ts";
import { errorText, Fault, type FaultCode, type FaultRetry } from "../../model/fault.ts";

/** Primary result codes of SQLite, https://sqlite.org/rescode.html; extended ones have these in their low byte. */
const PERM = 3;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const CONSTRAINT = 19;
const AUTH = 23;
const NOTADB = 26;

interface Reading {
  readonly code: FaultCode;
  readonly retry: FaultRetry;
  readonly advice: string;
}

const DAMAGED: Reading = {
  code: "journal_damaged",
  retry: "after-human",
  advice: "a readable store was expected; run `holdfast verify` and restore the store from a copy",
};
const READ_ONLY: Reading = {
  code: "store_readonly",
  retry: "after-human",
  advice:
    "a writable file in a writable folder was expected; check its permissions and how its disk is mounted",
};
const BUSY_READING: Reading = {
  code: "store_busy",
  retry: "later",
  advice:
    "another process, perhaps in another container, holds the store for too long; find it with `fuser` and let it go on or end it",
};
const FAILED: Reading = {
  code: "store_failed",
  retry: "after-human",
  advice:
    "the disk refused, so whether the last events were kept is known only after reopening; check the disk, then start again",
};

const READINGS: Readonly<Record<number, Reading>> = {
  [PERM]: READ_ONLY,
  [AUTH]: READ_ONLY,
  [READONLY]: READ_ONLY,
  [BUSY]: BUSY_READING,
  [LOCKED]: BUSY_READING,
  [IOERR]: FAILED,
  [CORRUPT]: DAMAGED,
  [CONSTRAINT]: DAMAGED,
  [FULL]: {
    code: "store_full",
    retry: "later",
    advice: "nothing of it was written; free some space on the disk of the store, then try again",
  },
  [CANTOPEN]: {
    code: "store_unavailable",
    retry: "after-human",
    advice: "a file that can be opened was expected; check that its folder exists and may be used",
  },
  [NOTADB]: {
    code: "store_foreign",
    retry: "after-human",
    advice: "a Holdfast store was expected; the file was not touched — name another with --store",
  },
};

const readingOf = (error: Error): Reading | null => {
  if ("errcode" in error && typeof error.errcode === "number")
    return READINGS[error.errcode & 0xff] ?? FAILED;
  // A whole number beyond 2^53, which is never written: node:sqlite refuses to hand it out.
  if ("code" in error && error.code === "ERR_OUT_OF_RANGE") return DAMAGED;
  return null;
};

/** The one that holds the lock is named, where the system reports who it is. */
function busyAdvice(file: string): string {
  const holder = lockHolder(file);
  return holder === null || holder.pid === process.pid ? BUSY_READING.advice : holderText(holder, file);
}

/** The one place where what SQLite throws becomes a fault; any other error passes as it is. */
export function toFault(error: unknown, doing: string, file: string): Error {
  if (error instanceof Fault) return error;
  if (!(error instanceof Error))
    return new Fault("broken_promise", `${doing} threw what is no error: ${String(error)}`);
  const reading = readingOf(error);
  if (reading === null) return error;
  const advice = reading === BUSY_READING ? busyAdvice(file) : reading.advice;
  const number = "errcode" in error ? ` (SQLite ${String(error.errcode)})` : "";
  return new Fault(
    reading.code,
    `${doing} failed on the store ${file}: ${errorText(error)}${number}; ${advice}`,
    { retry: reading.retry, cause: error, details: { file, doing } },
  );
}
