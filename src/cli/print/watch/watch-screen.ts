import type { FrameSize, WatchLine } from "./watch-lines.ts";

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
