import { closeSync, constants, fsyncSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { FULL_BYTES, fullDiskText } from "../../../model/host/host-fault.ts";
import { Fault, isFault } from "../../../model/fault.ts";
import { sideFile } from "../mark/acknowledged-mark.ts";

/** More than the log and its index grow by at once. */
const PROBE_BYTES = 65_536;
/** SQLite had no room to make the index of its log longer; nothing else is called so in practice. */
const IOERR_SHMSIZE = 4_874;

/** What is left for us on the disk of a file; null where that cannot be known. */
function bytesLeft(file: string): number | null {
  try {
    const { bavail, bfree, bsize } = statfsSync(file);
    return (process.getuid?.() === 0 ? bfree : bavail) * bsize;
  } catch {
    return null;
  }
}

/**
 * Why nothing more can be written beside a store for want of room; null where it can, or where something else is in the
 * way. It is tried, since a quota and a disk that gives out its room late are seen only by what they refuse.
 */
export function noRoomBeside(file: string): string | null {
  const probe = `${sideFile(file, "-room")}-${String(process.pid)}`;
  let fd: number | null = null;
  try {
    fd = openSync(probe, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    const written = writeSync(fd, Buffer.alloc(PROBE_BYTES));
    fsyncSync(fd);
    return written === PROBE_BYTES ? null : `${String(written)} of ${String(PROBE_BYTES)} bytes fit`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOSPC" || code === "EDQUOT" ? message : null;
  } finally {
    if (fd !== null) closeSync(fd);
    rmSync(probe, { force: true });
  }
}

/**
 * A failure of the disk that is a want of room, by its name. SQLite names only a write that the disk has no room for; a
 * quota, a sync, and the index of the log it calls an I/O error. Anything else passes as it is.
 */
export function withoutRoom<T>(fault: T, file: string): T | Fault {
  const isMeant =
    isFault(fault, "store_failed") || isFault(fault, "store_full") || isFault(fault, "store_unavailable");
  if (!isMeant) return fault;
  const why = whyNoRoom(fault, file);
  return why === null ? fault : storeFull(file, why, fault);
}

function whyNoRoom(fault: Fault, file: string): string | null {
  const { cause } = fault;
  if (cause instanceof Error && "errcode" in cause && cause.errcode === IOERR_SHMSIZE) return fault.message;
  const left = bytesLeft(file);
  if (left !== null && left < FULL_BYTES) return fullDiskText({ folder: file, bytes: left });
  return noRoomBeside(file);
}

export const storeFull = (file: string, why: string, cause?: Fault): Fault =>
  new Fault(
    "store_full",
    `there is no room for the store ${file}: ${why}; what was acknowledged is kept; free some space on its disk, and the store is opened again by itself`,
    { retry: "later", details: { file }, ...(cause === undefined ? {} : { cause }) },
  );
