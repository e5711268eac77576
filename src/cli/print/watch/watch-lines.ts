import { clockText, durationText } from "../local-times.ts";
import { columnsOf, fitColumns } from "../table.ts";
import { printableLine } from "../../../model/text/printable.ts";
import { DONE_MAX, WATCH_GROUPS, type WatchEntry, type WatchGroup } from "../../../views/runs/watch-entry.ts";

interface FrameSize {
  readonly columns: number;
  /** Infinity where nothing need be left out. */
  readonly rows: number;
}

/** One line of the screen; headings stand out. */
interface WatchLine {
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

const ESC = "\u001b[";
const ENTER = `${ESC}?1049h${ESC}?25l`;
const LEAVE = `${ESC}?25h${ESC}?1049l`;
/** Terminals that know it show everything between the two at once; others ignore both. */
const HOLD = `${ESC}?2026h`;
const SHOW = `${ESC}?2026l`;
const BOLD = `${ESC}1m`;
const PLAIN = `${ESC}0m`;
const TO_END_OF_LINE = `${ESC}K`;
const BELOW = `${ESC}J`;

/**
 * Draws frames on a terminal without flicker: a frame is one write, only lines that changed are drawn, and each is
 * written over and cut at its end, never cleared first. After a change of size everything is drawn, still in place.
 */
export class WatchScreen {
  readonly #write: (text: string) => void;
  #shown: readonly string[] | null = null;
  #size = "";
  #isOpen = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  draw(lines: readonly WatchLine[], { columns, rows }: FrameSize): void {
    const next = lines.map(({ text, heading }) => (heading ? `${BOLD}${text}${PLAIN}` : text));
    const size = `${String(columns)}x${String(rows)}`;
    const before = size === this.#size ? this.#shown : null;
    const parts = changes(before, next);
    this.#shown = next;
    this.#size = size;
    const enter = this.#isOpen ? "" : ENTER;
    this.#isOpen = true;
    if (enter !== "" || parts !== "") this.#write(`${enter}${HOLD}${parts}${SHOW}`);
  }

  /** Gives the terminal back as it was. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#write(LEAVE);
  }
}

const at = (row: number): string => `${ESC}${String(row + 1)};1H`;

function changes(before: readonly string[] | null, next: readonly string[]): string {
  const drawn = next.map((line, row) =>
    before !== null && before[row] === line ? "" : `${at(row)}${line}${TO_END_OF_LINE}`,
  );
  const isShorter = before === null || before.length > next.length;
  return `${drawn.join("")}${isShorter ? `${at(next.length)}${BELOW}` : ""}`;
}
