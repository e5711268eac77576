import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { lineScanner } from "../keeper/spool-lines.ts";

/** A pipe under that name must not hold anybody up, and a link might lead anywhere. */
const SAFELY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 1024 * 1024;
/** So much is read at once; the rest when it is asked again. */
const CHUNKS_AT_ONCE = 8;
const FILE_BYTES_MAX = 2 ** 31;
const NAMES_MAX = 5_000;

/** Reads the lines that were added to somebody else's file since the last time. Whatever is wrong with it, there are none. */
export function followFile(file: string): () => readonly string[] {
  const scanner = lineScanner(0);
  return () => {
    let descriptor: number | undefined;
    try {
      descriptor = openSync(file, SAFELY);
      const { size } = ifPlain(descriptor);
      const lines: string[] = [];
      for (let chunk = 0; chunk < CHUNKS_AT_ONCE && scanner.readTo() < size; chunk += 1) {
        const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - scanner.readTo()));
        const bytes = readSync(descriptor, buffer, 0, buffer.length, scanner.readTo());
        if (bytes === 0) break;
        for (const { text, kind } of scanner.push(buffer.subarray(0, bytes)))
          if (kind === "whole") lines.push(text);
      }
      return lines;
    } catch {
      return [];
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  };
}

function ifPlain(descriptor: number): { readonly size: number } {
  const found = fstatSync(descriptor);
  return found.isFile() && found.size <= FILE_BYTES_MAX ? found : { size: 0 };
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
