import { statSync } from "node:fs";
import { readPlainAt } from "../../files/plain-file.ts";
import type { SessionFolder } from "./session-folder.ts";
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
}

interface Track {
  readonly spool: Spool;
  readonly file: string;
  readonly heardTo: number;
  readonly scanner: LineScanner;
  cursor: number;
}

const CHUNK_BYTES_MAX = 256 * 1024;

/** With `fromStart` the lines before the cursor are given as well, marked as past. */
export function spoolTail(
  session: SessionFolder,
  spools: readonly Spool[],
  cursor: string,
  fromStart: boolean,
): SpoolTail {
  const offsets = cursor.split(",").map(Number);
  const tracks = spools.map((spool, index): Track => {
    const heardTo = offsets[index] ?? 0;
    const scanner = lineScanner(fromStart ? 0 : heardTo);
    return { spool, file: session[spool], heardTo, scanner, cursor: heardTo };
  });
  // The first spool is read after the others, so that its last word is the last.
  const inTurn = tracks.toReversed();
  return {
    next: (sizes) => nextLines(inTurn, sizes),
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

function nextLines(
  tracks: readonly Track[],
  sizes: SpoolSizes | undefined,
): readonly TailLine[] | "nothing" | "failed" {
  const lines: TailLine[] = [];
  let read = false;
  for (const { spool, file, scanner, heardTo } of tracks) {
    const bytes = readChunk(file, scanner.readTo(), sizes?.get(spool) ?? Infinity);
    if (bytes === "failed") return lines.length > 0 ? lines : "failed";
    if (bytes.length === 0) continue;
    read = true;
    for (const line of scanner.push(bytes)) lines.push({ line, spool, past: line.end <= heardTo });
  }
  return read ? lines : "nothing";
}

export const spoolSize = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** What stands between two offsets, as far as it is there. A read that failed is tried again; nothing is skipped over it. */
function readChunk(file: string, from: number, to: number): Buffer | "failed" {
  const length = Math.min(CHUNK_BYTES_MAX, to - from);
  if (length <= 0) return Buffer.alloc(0);
  const read = readPlainAt(file, { from, bytesMax: length });
  if (read.kind === "absent") return Buffer.alloc(0);
  return read.kind === "read" ? read.bytes : "failed";
}
