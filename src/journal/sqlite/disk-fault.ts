import { errorText, Fault, type FaultCode, type FaultRetry } from "../../model/fault.ts";

type Reading = readonly [FaultCode, FaultRetry, string];

const UNKNOWN: Reading = ["store_unavailable", "after-human", "check the path and the folder it names"];
const BY_ERRNO: Readonly<Record<string, Reading>> = {
  ENOSPC: ["store_full", "later", "free some space, then start again"],
  EDQUOT: ["store_full", "later", "free some space or raise the quota, then start again"],
  EROFS: ["store_readonly", "after-human", "make the file system writable, then start again"],
  EACCES: [
    "store_unavailable",
    "after-human",
    "give this user the right to read and write the file and its folder",
  ],
  EPERM: [
    "store_unavailable",
    "after-human",
    "give this user the right to read and write the file and its folder",
  ],
  EIO: ["store_failed", "after-human", "look at the disk, then start again; what was acknowledged is kept"],
};

/** Names what the operating system refused while `doing` something to `file`. Anything else passes as it is. */
export function diskFault(error: unknown, doing: string, file: string): unknown {
  const errno = errnoOf(error);
  if (errno === null) return error;
  const [code, retry, advice] = BY_ERRNO[errno] ?? UNKNOWN;
  return new Fault(code, `cannot ${doing} ${file}: ${errorText(error)}; ${advice}`, {
    retry,
    cause: error,
    details: { file, errno },
  });
}

const errnoOf = (error: unknown): string | null =>
  error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string"
    ? error.code
    : null;
