import { printableLine } from "../../../model/text/printable.ts";
import { DONE_MAX, WATCH_GROUPS, type WatchEntry, type WatchGroup } from "../../../views/runs/watch-entry.ts";
import { columnsOf, fitColumns } from "../printable.ts";
import { clockText, durationText } from "../time-text.ts";

export interface FrameSize {
  readonly columns: number;
  /** Infinity where nothing need be left out. */
  readonly rows: number;
}

/** One line of the screen; headings stand out. */
export interface WatchLine {
  readonly text: string;
  readonly heading: boolean;
}

const HEADINGS: Readonly<Record<WatchGroup, string>> = {
  needs_you: "NEEDS YOU",
  working: "WORKING",
  waiting: "WAITING",
  done: "DONE",
};
const COUNTS: Readonly<Record<WatchGroup, string>> = {
  needs_you: "need you",
  working: "working",
  waiting: "waiting",
  done: "done",
};
const RUN_COLUMNS_MAX = 30;
const DAY_MS = 86_400_000;

/** All runs as lines that fit the screen; what has no place is counted in the last one. */
export function watchLines(
  entries: readonly WatchEntry[],
  about: string,
  now: number,
  { columns, rows }: FrameSize,
): WatchLine[] {
  const width = Math.min(RUN_COLUMNS_MAX, Math.max(0, ...entries.map(({ run }) => columnsOf(run))));
  const groups = WATCH_GROUPS.map(
    (group) => [group, entries.filter((entry) => entry.group === group)] as const,
  );
  const counted = groups.map(([group, found]) => `${String(found.length)} ${COUNTS[group]}`);
  const lines: WatchLine[] = [heading([clockText(now), ...counted, about].join(" · "))];
  for (const [group, found] of groups) {
    if (found.length === 0) continue;
    lines.push(plain(""), heading(HEADINGS[group]));
    const kept = group === "done" ? found.slice(0, DONE_MAX) : found;
    for (const entry of kept) lines.push(...entryLines(entry, width, now).map(plain));
    if (kept.length < found.length) lines.push(plain(`  … and ${String(found.length - kept.length)} more`));
  }
  if (entries.length === 0) lines.push(plain(""), plain("no runs yet"));
  return fit(lines, rows).map((line) => ({ ...line, text: fitColumns(line.text, columns) }));
}

const plain = (text: string): WatchLine => ({ text, heading: false });
const heading = (text: string): WatchLine => ({ text, heading: true });

function fit(lines: readonly WatchLine[], rows: number): readonly WatchLine[] {
  if (lines.length <= rows) return lines;
  const kept = Math.max(1, rows - 1);
  return [...lines.slice(0, kept), plain(`… and ${String(lines.length - kept)} more lines`)];
}

function entryLines(entry: WatchEntry, width: number, now: number): string[] {
  const name = fitColumns(printableLine(entry.run), RUN_COLUMNS_MAX);
  const padded = `${name}${" ".repeat(Math.max(0, width - columnsOf(name)))}`;
  const { done, of } = entry.steps;
  const parts = [
    whenText(entry, now),
    ...(entry.group !== "done" && of > 1 ? [`${String(done)}/${String(of)} steps`] : []),
    printableLine(entry.what, 160),
    ...(entry.goal === "" ? [] : [printableLine(entry.goal, 80)]),
  ];
  const first = `  ${padded}  ${parts.join(" · ")}`;
  return entry.command === null
    ? [first]
    : [first, `  ${" ".repeat(width)}  → ${printableLine(entry.command)}`];
}

/** How long ago it changed, or how long it is still to wait. */
function whenText({ group, until, since }: WatchEntry, now: number): string {
  if (until !== null) {
    const at = Date.parse(until);
    return `until ${clockText(at)}, ${durationText(at - now)} more`;
  }
  const at = Date.parse(since);
  const ago = durationText(now - at);
  if (group === "working") return `last seen ${ago} ago`;
  // A time that stands still needs no drawing.
  return now - at < DAY_MS ? `since ${clockText(at)}` : `${ago} ago`;
}
