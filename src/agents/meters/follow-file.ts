import { readdirSync } from "node:fs";
import { readPlainAt } from "../../files/plain-file.ts";
import { lineScanner } from "../keeper/spool/spool-lines.ts";

const CHUNK_BYTES = 1024 * 1024;
/** So much is read at once; the rest when it is asked again. */
const CHUNKS_AT_ONCE = 8;
const FILE_BYTES_MAX = 2 ** 31;
const NAMES_MAX = 5_000;

/** Reads the lines that were added to somebody else's file since the last time. Whatever is wrong with it, there are none. */
export function followFile(file: string): () => readonly string[] {
  const scanner = lineScanner(0);
  return () => {
    const lines: string[] = [];
    for (let chunk = 0; chunk < CHUNKS_AT_ONCE; chunk += 1) {
      const read = readPlainAt(file, { from: scanner.readTo(), bytesMax: CHUNK_BYTES });
      if (read.kind !== "read" || read.bytes.length === 0 || read.stats.size > FILE_BYTES_MAX) break;
      for (const { text, kind } of scanner.push(read.bytes)) if (kind === "whole") lines.push(text);
    }
    return lines;
  };
}

/** Names in a folder, none where it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, NAMES_MAX);
  } catch {
    return [];
  }
}

/** The first line of a file, as far as it is short. */
export const firstLine = (file: string): string | undefined => followFile(file)()[0];
