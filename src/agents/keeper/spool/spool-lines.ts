import { toSignal, unknownSignal } from "../../to-signal.ts";
import type { Signal } from "../../../model/agent/signals.ts";

/**
 * Cuts a growing spool into lines, from any byte that begins one.
 *
 * 1. A line is given out only when its end is known; where the next begins is a byte offset that anybody can go on from.
 * 2. Of a line of any length at most `LINE_BYTES_MAX` are held (I7); what is longer is given out cut, and says so.
 */
export interface SpoolLine {
  readonly text: string;
  readonly kind: "whole" | "cut" | "half";
  /** The offset after it. */
  readonly end: number;
}

export interface LineScanner {
  push(bytes: Buffer): readonly SpoolLine[];
  /** What stands after the last line end, when it is certain that no more will come. */
  half(): SpoolLine | undefined;
  /** How far was read, which may be within a line. */
  readTo(): number;
  /** Goes on at a later offset, with the first line that begins after it. */
  skip(to: number): void;
}

export const LINE_BYTES_MAX = 256 * 1024;
const NEWLINE = 10;

export function lineScanner(start: number): LineScanner {
  let readTo = start;
  let lineBytes = 0;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let skipping = false;

  const hold = (bytes: Buffer): void => {
    lineBytes += bytes.length;
    const kept = bytes.subarray(0, LINE_BYTES_MAX - heldBytes);
    if (kept.length === 0) return;
    heldBytes += kept.length;
    // A copy, since what was read into is used again; a view would also keep all of it alive.
    held.push(Buffer.from(kept));
  };
  const give = (kind: "whole" | "half", end: number): SpoolLine => {
    const text = Buffer.concat(held).toString("utf8");
    const line: SpoolLine = { text, kind: lineBytes > heldBytes ? "cut" : kind, end };
    [lineBytes, held, heldBytes] = [0, [], 0];
    return line;
  };
  const push = (bytes: Buffer): readonly SpoolLine[] => {
    const lines: SpoolLine[] = [];
    let from = 0;
    if (skipping) {
      const end = bytes.indexOf(NEWLINE);
      from = end === -1 ? bytes.length : end + 1;
      skipping = end === -1;
    }
    for (let at = bytes.indexOf(NEWLINE, from); at !== -1; at = bytes.indexOf(NEWLINE, from)) {
      const isWithin = lineBytes === 0 && at - from <= LINE_BYTES_MAX;
      if (!isWithin) hold(bytes.subarray(from, at));
      const text = isWithin ? bytes.toString("utf8", from, at) : undefined;
      from = at + 1;
      const end = readTo + from;
      lines.push(text === undefined ? give("whole", end) : { text, kind: "whole", end });
    }
    hold(bytes.subarray(from));
    readTo += bytes.length;
    return lines;
  };
  const skip = (to: number): void => {
    [readTo, lineBytes, held, heldBytes, skipping] = [to, 0, [], 0, true];
  };
  return {
    push,
    half: () => (lineBytes === 0 ? undefined : give("half", readTo)),
    readTo: () => readTo,
    skip,
  };
}

/**
 * A line of a program of ours that prints one signal per line as JSON; anything else that stands there is kept as it
 * is.
 */
export function signalOfLine({ text, kind }: SpoolLine): Signal {
  if (kind !== "whole") return unknownSignal(text);
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return unknownSignal(text);
  }
  const signal = toSignal(said);
  // How the agent exited is for its keeper to report, not for the agent.
  return signal.kind === "exit" || signal.kind === "unknown" ? unknownSignal(text) : signal;
}
