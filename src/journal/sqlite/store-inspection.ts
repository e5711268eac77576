import { closeSync, openSync, statSync } from "node:fs";
import { Fault, type FaultCode } from "../../model/fault.ts";
import { readMark, sideFile } from "./mark/acknowledged-mark.ts";
import {
  DATABASE_HEADER_BYTES,
  parseDatabaseHeader,
  readDatabaseStart,
  type DatabaseHeader,
} from "./mark/database-header.ts";
import type { MarkRecord } from "./mark/mark-slot.ts";
import { descriptorSource } from "./log/wal-format.ts";
import { scanWal, type CommittedFrames, type WalScan } from "./log/wal-scan.ts";

/** "HOLD" in the file's header: distinguishes a store from any other SQLite database. */
export const APPLICATION_ID = 0x484f4c44;

const PAGE_SIZE_DEFAULT = 4096;

/** Looks at an existing store without changing a byte; what it suspects is null or a fault ready to be thrown. */
export function inspectStoreFile(file: string): Fault | null {
  // Before the log: what it names was committed earlier, so the log must still show it, or be a later one.
  const marks = readMark(file);
  const start = readDatabaseStart(file);
  if (start.length < DATABASE_HEADER_BYTES) return tooShort(file, statSync(file).size);
  const header = parseDatabaseHeader(start);
  const scan = scanLog(file, header.pageSize ?? PAGE_SIZE_DEFAULT);
  return (
    suspectHeader(file, header) ??
    suspectLog(file, scan, { marked: marks.length > 0 }) ??
    suspectLostFrames(file, scan, marks) ??
    suspectLength(file, header, scan.committed)
  );
}

function scanLog(file: string, pageSize: number): WalScan {
  let fd: number;
  try {
    fd = openSync(sideFile(file, "-wal"), "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return scanWal({ read: () => Buffer.alloc(0) }, pageSize);
  }
  try {
    return scanWal(descriptorSource(fd), pageSize);
  } finally {
    closeSync(fd);
  }
}

const suspicion = (code: FaultCode, message: string, details: Record<string, unknown>): Fault =>
  new Fault(code, message, { retry: "after-human", details });

const UNTOUCHED = "nothing was changed — restore the store from a copy, or name another file";

const tooShort = (file: string, bytes: number): Fault =>
  suspicion(
    "store_truncated",
    `the store ${file} holds ${String(bytes)} bytes, less than the ${String(DATABASE_HEADER_BYTES)} of a database header; ${UNTOUCHED}`,
    { file, bytes },
  );

function suspectHeader(file: string, header: DatabaseHeader): Fault | null {
  const ours = header.applicationId === APPLICATION_ID;
  if (header.isSqlite && ours && header.isSound && header.pageSize !== null) return null;
  if (ours) {
    return suspicion(
      "journal_damaged",
      `the first bytes of the store ${file} are damaged: it carries Holdfast's mark, but is no readable SQLite database; ${UNTOUCHED}`,
      { file, offset: 0 },
    );
  }
  const seen = header.isSqlite
    ? `a SQLite database of something else (application id ${String(header.applicationId)}, expected ${String(APPLICATION_ID)})`
    : "not a SQLite database";
  return suspicion("store_foreign", `${file} is ${seen}; it was not touched — name another file`, { file });
}

/** Without a mark a doubtful log is taken for a damaged one: every store has had a mark since its first opening. */
function suspectLog(file: string, scan: WalScan, known: { readonly marked: boolean }): Fault | null {
  if (scan.bad === null || (scan.verdict !== "damaged" && known.marked)) return null;
  const wal = sideFile(file, "-wal");
  const { frame, offset } = scan.bad;
  const place = frame === 0 ? "its header is" : `frame ${String(frame)} at byte ${String(offset)} is`;
  return suspicion(
    "journal_damaged",
    `the log ${wal} is damaged: ${place} bad, and committed frames stand behind it, which SQLite would drop in silence; ${UNTOUCHED}`,
    { file: wal, frame, offset },
  );
}

function suspectLostFrames(file: string, scan: WalScan, marks: readonly MarkRecord[]): Fault | null {
  const marked = marks.map(({ wal }) => (wal !== null && wal.salts === scan.salts ? wal.frames : 0));
  const acknowledged = Math.max(0, ...marked);
  if (scan.committed.frames >= acknowledged) return null;
  const wal = sideFile(file, "-wal");
  return suspicion(
    "journal_damaged",
    `the log ${wal} is damaged: it is valid up to frame ${String(scan.committed.frames)}, and frame ${String(acknowledged)} was acknowledged; ${UNTOUCHED}`,
    { file: wal, frame: scan.committed.frames + 1, acknowledged },
  );
}

/** A crash in the middle of a checkpoint may leave the file short of pages that the log still holds, and of no others. */
function suspectLength(file: string, header: DatabaseHeader, committed: CommittedFrames): Fault | null {
  let last = committed.frames > 0 ? committed.pagesAfter : header.pages;
  if (last === null || header.pageSize === null) return null;
  while (committed.pages.has(last)) last--;
  const bytes = statSync(file).size;
  const expected = last * header.pageSize;
  if (bytes >= expected) return null;
  return suspicion(
    "store_truncated",
    `the store ${file} is cut short: it holds ${String(bytes)} bytes, and at least ${String(expected)} were expected; ${UNTOUCHED}`,
    { file, bytes, expected },
  );
}
