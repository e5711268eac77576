import { lstatSync } from "node:fs";
import { readPlainAt, type Refusal } from "../../files/plain-file.ts";
import type { SessionFolder } from "./session-folder.ts";
import { OUTPUT_BYTES_MAX, skipTo, type Skip } from "./spool-quota.ts";
import { lineScanner, type LineScanner, type SpoolLine } from "./spool-lines.ts";

/** What an agent writes to its stdout and to its stderr. */
export type Spool = "out" | "err";
export type SpoolSizes = ReadonlyMap<Spool, number>;

export interface TailLine {
  readonly line: SpoolLine;
  readonly spool: Spool;
  /** It stands before the cursor, so it was heard already. */
  readonly past: boolean;
}

/** The spools of one session, read side by side. The cursor tells an offset for each, in their order. */
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
  /** The first piece that was left out since the last time this was asked, because the quota was reached. */
  skipped(): Skip | undefined;
}

interface Track {
  readonly spool: Spool;
  readonly file: string;
  readonly heardTo: number;
  readonly scanner: LineScanner;
  cursor: number;
  /** Something else stands in its place; that was said, and nothing more is read. */
  lost: boolean;
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
  const offsets = cursor.split(",").map(Number);
  const tracks = spools.map((spool, index): Track => {
    const heardTo = offsets[index] ?? 0;
    const scanner = lineScanner(fromStart ? 0 : heardTo);
    return { spool, file: session[spool], heardTo, scanner, cursor: heardTo, lost: false };
  });
  // The first spool is read after the others, so that its last word is the last.
  const inTurn = tracks.toReversed();
  return {
    next: (sizes) => {
      for (const track of inTurn) {
        const skip = keepUp(track, sizes, quotaBytes);
        if (skip !== undefined) skips.push(skip);
      }
      return nextLines(inTurn, sizes);
    },
    skipped: () => skips.splice(0)[0],
    halves: () =>
      inTurn.flatMap(({ spool, scanner, heardTo }) => {
        const line = scanner.half();
        return line === undefined || line.end <= heardTo ? [] : [{ line, spool, past: false }];
      }),
    passed: ({ line, spool }) => {
      for (const track of tracks) if (track.spool === spool) track.cursor = Math.max(track.cursor, line.end);
    },
    cursor: () => tracks.map((track) => track.cursor).join(","),
    readTo: () => tracks.map(({ scanner, heardTo }) => Math.max(scanner.readTo(), heardTo)).join(","),
  };
}

function keepUp(
  { spool, file, scanner }: Track,
  sizes: SpoolSizes | undefined,
  quotaBytes: number,
): Skip | undefined {
  const from = scanner.readTo();
  const to = from < quotaBytes ? undefined : skipTo(from, sizes?.get(spool) ?? spoolSize(file), quotaBytes);
  if (to === undefined) return undefined;
  scanner.skip(to);
  return { file, from, to };
}

function nextLines(
  tracks: readonly Track[],
  sizes: SpoolSizes | undefined,
): readonly TailLine[] | "nothing" | "failed" {
  const lines: TailLine[] = [];
  let read = false;
  for (const track of tracks) {
    const { spool, file, scanner, heardTo } = track;
    const bytes = track.lost ? NOTHING : readChunk(file, scanner.readTo(), sizes?.get(spool) ?? Infinity);
    if (typeof bytes === "object" && "problem" in bytes) {
      track.lost = true;
      read = true;
      lines.push({ line: { text: bytes.problem, kind: "cut", end: scanner.readTo() }, spool, past: false });
      continue;
    }
    if (bytes === "failed") return lines.length > 0 ? lines : "failed";
    if (bytes.length === 0) continue;
    read = true;
    for (const line of scanner.push(bytes)) lines.push({ line, spool, past: line.end <= heardTo });
  }
  return read ? lines : "nothing";
}

export const spoolSize = (file: string): number => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** What stands between two offsets, as far as it is there. A read that failed is tried again; nothing is skipped over it. */
function readChunk(file: string, from: number, to: number): Buffer | "failed" | { readonly problem: string } {
  const length = Math.min(CHUNK_BYTES_MAX, to - from);
  if (length <= 0) return NOTHING;
  const read = readPlainAt(file, { from, bytesMax: length });
  if (read.kind === "absent") return NOTHING;
  if (read.kind === "read") return read.bytes;
  return NO_FILE.includes(read.why) ? { problem: `${file} ${read.problem}` } : "failed";
}
