import { createHash } from "node:crypto";
import { EXCERPT_CHARS_MAX } from "../model/effects/evidence.ts";
import { printable } from "../model/text/printable.ts";

/** More bytes than this cannot show in an excerpt, however many of them make one character. */
const KEPT_BYTES_MAX = 4 * EXCERPT_CHARS_MAX;

export interface OutputDigest {
  push(bytes: Buffer): void;
  bytes(): number;
  /** Of all that was pushed. It closes the account: what comes later counts no more. */
  digest(): string;
  /** Beginning and end of what was pushed, safe to print, with a note of ours after it. */
  excerpt(note: string): string;
}

/** Takes output of any length and holds no more than `bytesMax` of it: half for its beginning, half for its end. */
export function outputDigest(bytesMax: number): OutputDigest {
  const hash = createHash("sha256");
  const keptMax = Math.min(Math.max(bytesMax, 0), KEPT_BYTES_MAX);
  const headMax = Math.ceil(keptMax / 2);
  const tailMax = keptMax - headMax;
  let digest: string | undefined;
  let bytes = 0;
  let head: Buffer = Buffer.alloc(0);
  let tail: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      if (digest !== undefined) return;
      hash.update(chunk);
      bytes += chunk.length;
      const forHead = chunk.subarray(0, headMax - head.length);
      if (forHead.length > 0) head = Buffer.concat([head, forHead]);
      const rest = chunk.subarray(forHead.length);
      if (rest.length > 0)
        tail = lastOf(Buffer.concat([lastOf(tail, tailMax), lastOf(rest, tailMax)]), tailMax);
    },
    bytes: () => bytes,
    digest: () => (digest ??= hash.digest("hex")),
    excerpt: (note) => excerptOf(head, tail, bytes - head.length - tail.length, note),
  };
}

const lastOf = (bytes: Buffer, max: number): Buffer => bytes.subarray(Math.max(0, bytes.length - max));

function excerptOf(head: Buffer, tail: Buffer, leftOut: number, note: string): string {
  const room = EXCERPT_CHARS_MAX - note.length;
  if (leftOut === 0) {
    const whole = readable(Buffer.concat([head, tail]));
    if (whole.length <= room) return `${whole}${note}`;
  }
  const gap = leftOut === 0 ? "\n[…]\n" : `\n[… ${String(leftOut)} bytes left out …]\n`;
  const half = Math.floor((room - gap.length) / 2);
  // One text if nothing is missing between them, so that a character on the seam stays whole.
  const [first, last] =
    leftOut === 0
      ? [readable(Buffer.concat([head, tail])), readable(Buffer.concat([head, tail]))]
      : [readable(head), readable(withoutHalfCharacter(tail))];
  return `${first.slice(0, half)}${gap}${last.slice(Math.max(0, last.length - half))}${note}`.toWellFormed();
}

function withoutHalfCharacter(bytes: Buffer): Buffer {
  let from = 0;
  while (from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.subarray(from);
}

/** Colours and cursor movements are dropped rather than shown: the words between them are what counts. */
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROL_SEQUENCE = /\u001b\[[0-?]*[ -/]*[@-~]/g;

const readable = (bytes: Buffer): string =>
  printable(bytes.toString("utf8").replaceAll("\r\n", "\n").replaceAll(CONTROL_SEQUENCE, ""));
