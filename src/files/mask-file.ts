import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  futimesSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { errorText } from "../model/fault.ts";

/** A file in which texts were found. */
export interface MaskedFile {
  readonly file: string;
  readonly count: number;
  /** Why they are still there; absent where they are not, or where nothing was to be changed. */
  readonly why?: string;
}

/**
 * Writes stars over texts in a file, in its place: the file stays as long as it was, so that the one that reads it from
 * an offset, or appends to it, is not disturbed. A process that dies in between has masked some of them; the same order
 * again masks the rest. Only a regular file is opened, and no link is followed.
 */
export function maskFile(
  file: string,
  texts: readonly string[],
  { mask }: { readonly mask: boolean },
): MaskedFile {
  let count = 0;
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isFile() !== true) return { file, count };
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      count = placesIn(fd, texts).length;
    } finally {
      closeSync(fd);
    }
    if (count > 0 && mask) writeStars(file, texts);
    return { file, count };
  } catch (error) {
    return { file, count, why: errorText(error) };
  }
}

const placesIn = (fd: number, texts: readonly string[]) => [
  ...placesOfTexts((into, at) => readSync(fd, into, 0, into.length, at), texts),
];

function writeStars(file: string, texts: readonly string[]): void {
  const fd = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { atime, mtime } = fstatSync(fd);
    for (const { at, length } of placesIn(fd, texts)) writeSync(fd, Buffer.alloc(length, "*"), 0, length, at);
    // When something was last said is read from the time of its file.
    futimesSync(fd, atime, mtime);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Every regular file below a folder; links are not followed. */
export function filesBelow(folder: string): string[] {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Reads into a buffer from a position on; answers how many bytes there were. */
type ReadAt = (into: Buffer, at: number) => number;

const PIECE_BYTES = 1 << 20;

/** How often texts stand in bytes, without having all of them in memory. */
export const countTexts = (read: ReadAt, texts: readonly string[]): number =>
  [...placesOfTexts(read, texts)].length;

/** Where texts stand in bytes, in pieces: each text once per place, also across two pieces. */
function* placesOfTexts(
  read: ReadAt,
  texts: readonly string[],
): Generator<{ readonly at: number; readonly length: number }> {
  const wanted = texts.map((text) => Buffer.from(text, "utf8")).filter(({ length }) => length > 0);
  const longest = Math.max(0, ...wanted.map(({ length }) => length));
  if (longest === 0) return;
  const bytes = Buffer.alloc(PIECE_BYTES + longest);
  for (let start = 0; ; start += PIECE_BYTES) {
    const found = bytes.subarray(0, readFully(read, bytes, start));
    for (const text of wanted)
      for (let at = found.indexOf(text); at !== -1 && at < PIECE_BYTES; at = found.indexOf(text, at + 1))
        yield { at: start + at, length: text.length };
    if (found.length < bytes.length) return;
  }
}

/** A read may answer less than there is. */
function readFully(read: ReadAt, into: Buffer, at: number): number {
  let length = 0;
  while (length < into.length) {
    const more = read(into.subarray(length), at + length);
    if (more === 0) break;
    length += more;
  }
  return length;
}
