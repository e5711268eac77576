import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync, type BigIntStats } from "node:fs";
import { isPageSize } from "../log/wal-format.ts";

/** What the first bytes of a SQLite database say: https://www.sqlite.org/fileformat2.html#the_database_header */
export interface DatabaseHeader {
  readonly isSqlite: boolean;
  /** False when a field holds what SQLite never writes there. */
  readonly isSound: boolean;
  /** Null when what is written there cannot be a page size. */
  readonly pageSize: number | null;
  /** Null when SQLite itself would not trust the count and take the file's size instead. */
  readonly pages: number | null;
  readonly applicationId: number;
}

export const DATABASE_HEADER_BYTES = 100;
const MAGIC = Buffer.from("SQLite format 3\0");

export function parseDatabaseHeader(bytes: Buffer): DatabaseHeader {
  const written = bytes.readUInt16BE(16);
  const pageSize = written === 1 ? 65536 : written;
  const countIsCurrent = bytes.readUInt32BE(24) === bytes.readUInt32BE(92);
  return {
    isSqlite: bytes.subarray(0, MAGIC.length).equals(MAGIC),
    isSound: hasPossibleFields(bytes),
    pageSize: isPageSize(pageSize) ? pageSize : null,
    pages: countIsCurrent ? bytes.readUInt32BE(28) : null,
    applicationId: bytes.readUInt32BE(68),
  };
}

/** Format versions, reserved bytes per page, payload fractions, schema format, text encoding. */
const hasPossibleFields = (bytes: Buffer): boolean =>
  isAmong(bytes.readUInt8(18), [1, 2]) &&
  isAmong(bytes.readUInt8(19), [1, 2]) &&
  bytes.readUInt32BE(20) === 0x00402020 &&
  isAmong(bytes.readUInt32BE(44), [1, 2, 3, 4]) &&
  isAmong(bytes.readUInt32BE(56), [1, 2, 3]);

const isAmong = (value: number, values: readonly number[]): boolean => values.includes(value);

/**
 * Reads the beginning of a database that this process may already have open through SQLite.
 *
 * POSIX drops every lock that a process holds on a file as soon as it closes *any* descriptor of it, and SQLite's
 * locks keep other processes from deleting the log under us. So a descriptor that is there is used and left alone,
 * and only a file which is not open yet is opened and closed.
 */
export function readDatabaseStart(file: string): Buffer {
  const bytes = Buffer.alloc(DATABASE_HEADER_BYTES);
  const open = process.platform === "win32" ? null : openDescriptorOf(statSync(file, { bigint: true }));
  if (open !== null) return bytes.subarray(0, readSync(open, bytes, 0, bytes.length, 0));
  const fd = openSync(file, "r");
  try {
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(fd);
  }
}

function openDescriptorOf(wanted: BigIntStats): number | null {
  for (const name of readdirSync("/dev/fd")) {
    const found = descriptorStats(Number(name));
    if (found?.ino === wanted.ino && found.dev === wanted.dev) return Number(name);
  }
  return null;
}

/** Null for the descriptor through which the list itself was read: it is closed by now. */
function descriptorStats(fd: number): BigIntStats | null {
  try {
    return fstatSync(fd, { bigint: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EBADF") return null;
    throw error;
  }
}
