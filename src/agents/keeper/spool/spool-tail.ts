import { lstatSync } from "node:fs";
import { readPlainAt, type Refusal } from "../../../files/plain-file.ts";
import { readQuota, type SessionFolder } from "../session-folder.ts";
import { isDropping, mayBeHole, OUTPUT_BYTES_MAX, pastHole, skipTo, type Skip } from "./spool-quota.ts";
import { lineScanner, type LineScanner, type SpoolLine } from "./spool-lines.ts";

/** What an agent writes to its stdout and to its stderr. */
export type Spool = "out" | "err";
export type SpoolSizes = ReadonlyMap<Spool, number>;

export interface TailLine {
  readonly line: SpoolLine;
  readonly spool: Spool;
  /** It stands before the cursor, so it was received already. */
  readonly past: boolean;
}

/** The spools of one session, read side by side. The cursor shows an offset for each, in their order. */
export interface SpoolTail {
  /** The next lines of whichever has some, up to the given sizes; `nothing` when all are read. */
  next(sizes: SpoolSizes | undefined): readonly TailLine[] | "nothing" | "failed";
  /** What stands after the last line ends; the first spool's comes last. */
  halves(): readonly TailLine[];
  passed(line: TailLine): void;
  /** After the lines that were passed. */
  cursor(): string;
  /** After everything that was read, half lines included. */
  readTo(): string;
  /** The first piece that was left out since the last time this was asked, because the quota was reached. A spool that
   *  began to drop what was read is reported once. */
  skipped(): Skip | undefined;
}

interface Track {
  readonly spool: Spool;
  readonly file: string;
  readonly receivedTo: number;
  readonly scanner: LineScanner;
  cursor: number;
  /** Something else stands in its place; that was said, and nothing more is read. */
  lost: boolean;
  /**
   * That the spool does not keep everything was reported: the one that begins beyond the quota follows one who has
   * reported it.
   */
  isDropReported: boolean;
}

interface Quota {
  /** Up to here all is read. */
  readonly readBytes: number;
  /** Up to here all is kept; Infinity where everything is. */
  readonly keptBytes: number;
}

const NOTHING = Buffer.alloc(0);
/** No later look finds a file there again. */
const NO_FILE: readonly Refusal["why"][] = ["link", "folder", "special"];
/** Cutting it into lines takes a few milliseconds at most, even where each is short. */
const CHUNK_BYTES_MAX = 64 * 1024;

export interface TailOrder {
  readonly cursor?: string;
  /** The lines before the cursor are given as well, marked as past. */
  readonly fromStart?: boolean;
  readonly quotaBytes?: number | undefined;
}

export function spoolTail(
  session: SessionFolder,
  spools: readonly Spool[],
  { cursor = "", fromStart = false, quotaBytes = OUTPUT_BYTES_MAX }: TailOrder = {},
): SpoolTail {
  const skips: Skip[] = [];
  const keptBytes = readQuota(session);
  const quota: Quota = { readBytes: Math.min(quotaBytes, keptBytes), keptBytes };
  const isAll = quotaBytes === Infinity;
  const offsets = cursor.split(",").map(Number);
  const tracks = spools.map((spool, index): Track => {
    const receivedTo = offsets[index] ?? 0;
    const scanner = lineScanner(fromStart ? 0 : receivedTo);
    const isDropReported = receivedTo >= keptBytes;
    return {
      spool,
      file: session[spool],
      receivedTo,
      scanner,
      cursor: receivedTo,
      lost: false,
      isDropReported,
    };
  });
  // The first spool is read after the others, so that its last word is the last.
  const inTurn = tracks.toReversed();
  return {
    next: (sizes) => {
      for (const track of inTurn) {
        const skip = keepUp(track, sizes, { ...quota, next: isAll ? pastHole : skipTo });
        if (skip !== undefined) skips.push(skip);
      }
      return nextLines(inTurn, sizes, quota);
    },
    skipped: () => skips.splice(0)[0],
    halves: () =>
      inTurn.flatMap(({ spool, scanner, receivedTo: upTo }) => {
        const line = scanner.half();
        return line === undefined || line.end <= upTo ? [] : [{ line, spool, past: false }];
      }),
    passed: ({ line, spool }) => {
      for (const track of tracks) if (track.spool === spool) track.cursor = Math.max(track.cursor, line.end);
    },
    cursor: () => tracks.map((track) => track.cursor).join(","),
    readTo: () => tracks.map(({ scanner, receivedTo }) => Math.max(scanner.readTo(), receivedTo)).join(","),
  };
}

function keepUp(
  track: Track,
  sizes: SpoolSizes | undefined,
  { readBytes, keptBytes, next }: Quota & { readonly next: typeof skipTo },
): Skip | undefined {
  const { spool, file, scanner } = track;
  const from = scanner.readTo();
  if (from < readBytes) return undefined;
  const size = sizes?.get(spool) ?? spoolSize(file);
  const to = next(from, size, readBytes);
  const reportsDrop = !track.isDropReported && isDropping(size, keptBytes);
  track.isDropReported ||= reportsDrop;
  if (to === undefined && !reportsDrop) return undefined;
  if (to !== undefined) scanner.skip(to);
  return { file, from, to: to ?? from, ...(keptBytes === Infinity ? {} : { keptBytes }) };
}

function nextLines(
  tracks: readonly Track[],
  sizes: SpoolSizes | undefined,
  quota: Quota,
): readonly TailLine[] | "nothing" | "failed" {
  const lines: TailLine[] = [];
  let read = false;
  for (const track of tracks) {
    const { spool, scanner, receivedTo } = track;
    const bytes = track.lost ? NOTHING : readKept(track, sizes?.get(spool) ?? Infinity, quota);
    if (typeof bytes === "object" && "problem" in bytes) {
      track.lost = true;
      read = true;
      lines.push({ line: { text: bytes.problem, kind: "cut", end: scanner.readTo() }, spool, past: false });
      continue;
    }
    if (bytes === "failed") return lines.length > 0 ? lines : "failed";
    if (bytes.length === 0) continue;
    read = true;
    for (const line of scanner.push(bytes)) lines.push({ line, spool, past: line.end <= receivedTo });
  }
  return read ? lines : "nothing";
}

export const spoolSize = (file: string): number => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** The next piece: never across the quota, since a hole may begin there, and never one that was dropped meanwhile. */
function readKept({ file, scanner }: Track, to: number, { keptBytes }: Quota): ReturnType<typeof readChunk> {
  const from = scanner.readTo();
  const bytes = readChunk(file, from, from < keptBytes ? Math.min(to, keptBytes) : to);
  // Once the agent is over its last words stay where they are.
  const isOver = to !== Infinity;
  return !isOver && from >= keptBytes && mayBeHole(from, spoolSize(file), keptBytes) ? "failed" : bytes;
}

/** What stands between two offsets, as far as it is there. A read that failed is tried again; nothing is skipped over it. */
function readChunk(file: string, from: number, to: number): Buffer | "failed" | { readonly problem: string } {
  const length = Math.min(CHUNK_BYTES_MAX, to - from);
  if (length <= 0) return NOTHING;
  const read = readPlainAt(file, { from, bytesMax: length });
  if (read.kind === "absent") return NOTHING;
  if (read.kind === "read") return read.bytes;
  return NO_FILE.includes(read.why) ? { problem: `${file} ${read.problem}` } : "failed";
}
