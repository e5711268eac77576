import { wholeDiff } from "./text-diff.ts";

const CONTEXT_LINES = 3;
const FILE_BYTES_MAX = 1_048_576;

/** The bytes of a file before and after; null where there was none. */
export interface FilePair {
  readonly path: string;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

/** How a file was changed, as `patch -p1` reads it; a file that is no text, or too large, is only named. */
export function unifiedDiff({ path, before, after }: FilePair): string[] {
  const names = [
    `--- ${before === null ? "/dev/null" : `a/${path}`}`,
    `+++ ${after === null ? "/dev/null" : `b/${path}`}`,
  ];
  const bytes = Math.max(before?.length ?? 0, after?.length ?? 0);
  if (bytes > FILE_BYTES_MAX) return [...names, `(not shown: ${String(bytes)} bytes)`];
  if (isBinary(before) || isBinary(after)) return [...names, "(not shown: no text)"];
  return [...names, ...hunks(linesOf(before), linesOf(after))];
}

const isBinary = (bytes: Uint8Array | null): boolean => bytes?.includes(0) === true;

interface Lines {
  readonly lines: readonly string[];
  /** The last of them ends without a line end. */
  readonly isOpen: boolean;
}

function linesOf(bytes: Uint8Array | null): Lines {
  const text = new TextDecoder().decode(bytes ?? new Uint8Array());
  const lines = text.split("\n");
  const isOpen = lines.at(-1) !== "";
  return { lines: isOpen ? lines : lines.slice(0, -1), isOpen };
}

/** A last line without its end differs from one that has it. */
const marked = ({ lines, isOpen }: Lines): string[] =>
  lines.map((line, at) =>
    isOpen && at === lines.length - 1 ? `${line}\n\\ No newline at end of file` : line,
  );

function hunks(before: Lines, after: Lines): string[] {
  const all = wholeDiff(marked(before), marked(after));
  const changed = all.flatMap((line, at) => (line.startsWith(" ") ? [] : [at]));
  const lines: string[] = [];
  for (let first = 0; first < changed.length;) {
    let last = first;
    while ((changed[last + 1] ?? Infinity) - (changed[last] ?? 0) <= 2 * CONTEXT_LINES) last += 1;
    const from = Math.max(0, (changed[first] ?? 0) - CONTEXT_LINES);
    const to = Math.min(all.length, (changed[last] ?? 0) + CONTEXT_LINES + 1);
    lines.push(hunkHead(all, from, to), ...all.slice(from, to).flatMap((line) => line.split("\n")));
    first = last + 1;
  }
  return lines;
}

function hunkHead(all: readonly string[], from: number, to: number): string {
  const count = (lines: readonly string[], sign: string): number =>
    lines.filter((line) => line.startsWith(" ") || line.startsWith(sign)).length;
  const range = (sign: string): string => {
    const length = count(all.slice(from, to), sign);
    const start = count(all.slice(0, from), sign) + (length === 0 ? 0 : 1);
    return `${sign}${String(start)},${String(length)}`;
  };
  return `@@ ${range("-")} ${range("+")} @@`;
}
