import { readPlainAt, refusalFault } from "../../../files/plain-file.ts";
import type { World } from "../../../model/world.ts";
import { pause } from "../../pause.ts";
import { lineScanner, type SpoolLine } from "../../keeper/spool/spool-lines.ts";
import { endMark, sizeOf, type TerminalFolder } from "../terminal-folder.ts";

const CHUNK_BYTES_MAX = 256 * 1024;
const PIECES_AT_ONCE = 4;

/** Reads on in what tmux wrote down of a terminal, up to the keeper's end mark. */
export interface RawReader {
  /** The lines that are new; null where nothing was. */
  read(): { readonly lines: readonly SpoolLine[] } | null;
  /** Gives the lines that are new, piece by piece; false where there is more, which is for the next time (I7). */
  readSome(give: (lines: readonly SpoolLine[]) => void): boolean;
  /** Whether the end mark was read: what comes after it is of nobody that is waited for. */
  ended(): boolean;
  half(): SpoolLine | undefined;
}

export function rawReader(terminal: TerminalFolder, from: number): RawReader {
  const mark = Buffer.from(endMark(terminal));
  const scanner = lineScanner(from);
  let ended = false;
  let tail = Buffer.alloc(0);
  const reader: RawReader = {
    readSome(give) {
      for (let piece = 0; piece < PIECES_AT_ONCE; piece += 1) {
        const read = reader.read();
        if (read === null) return true;
        give(read.lines);
      }
      return false;
    },
    read() {
      const bytes = ended ? undefined : chunkOf(terminal.raw, scanner.readTo());
      if (bytes === undefined) return null;
      // The mark may lie across two chunks.
      const joined = Buffer.concat([tail, bytes]);
      const found = joined.indexOf(mark);
      ended = found !== -1;
      tail = Buffer.from(joined.subarray(-mark.length));
      return {
        lines: scanner.push(
          ended ? bytes.subarray(0, Math.max(0, found - joined.length + bytes.length)) : bytes,
        ),
      };
    },
    ended: () => ended,
    half: () => scanner.half(),
  };
  return reader;
}

const LAST_BYTES_MS = 500;
const LAST_BYTES_POLL_MS = 20;

/** With its pane goes what tmux has not yet written down, so the end mark is waited for; not for long. */
export async function lastBytes(world: World, terminal: TerminalFolder): Promise<void> {
  const mark = endMark(terminal);
  for (let waitedMs = 0; waitedMs < LAST_BYTES_MS; waitedMs += LAST_BYTES_POLL_MS) {
    const size = sizeOf(terminal.raw);
    if (size === 0 || chunkOf(terminal.raw, Math.max(0, size - 4_096))?.includes(mark) === true) return;
    await pause(world, LAST_BYTES_POLL_MS);
  }
}

function chunkOf(file: string, from: number): Buffer | undefined {
  const read = readPlainAt(file, { from, bytesMax: CHUNK_BYTES_MAX });
  if (read.kind === "refused") throw refusalFault(file, read);
  return read.kind === "absent" || read.bytes.length === 0 ? undefined : read.bytes;
}
