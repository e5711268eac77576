/** Reads into a buffer from a position on; answers how many bytes there were. */
export type ReadAt = (into: Buffer, at: number) => number;

const PIECE_BYTES = 1 << 20;

/** How often texts stand in bytes, without having all of them in memory. */
export const countTexts = (read: ReadAt, texts: readonly string[]): number =>
  [...placesOfTexts(read, texts)].length;

export interface TextPlace {
  readonly at: number;
  readonly length: number;
}

/** Where texts stand in bytes, in pieces: each text once per place, also across two pieces. */
export function* placesOfTexts(read: ReadAt, texts: readonly string[]): Generator<TextPlace> {
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
