import type { Output } from "./output.ts";
import { columnsOf, fitColumns } from "./table.ts";
import { painted, type Tone } from "./progress-lines.ts";

const ERASE_LINE = "\r\u001b[2K";
const UP = "\u001b[1A";
/** An agent that goes round in circles repeats a call, its result and a word or two. */
const WATCHED_MAX = 4;

interface Shown {
  readonly text: string;
  readonly tone: Tone;
  clock: string;
  times: number;
}

/**
 * Lines on a terminal with one status line below them.
 *
 * A line that repeats one of the last few is not printed again: that one gets a count ("×4") and the new time. Only
 * lines that take one row are watched, since the cursor goes back over whole rows. Everything is erased or complete at
 * any time, so what is copied out of the terminal has no half lines, and `close` leaves no status line behind.
 */
export class LiveLines {
  readonly #output: Output;
  #watched: Shown[] = [];
  #hasStatus = false;

  constructor(output: Output) {
    this.#output = output;
  }

  /** A line with its time; `clock` is empty for headings. */
  print(clock: string, text: string, tone: Tone): void {
    const again = this.#watched.findIndex((one) => one.text === text && one.tone === tone && clock !== "");
    if (again >= 0) return this.#count(again, clock);
    const line: Shown = { text, tone, clock, times: 1 };
    const row = this.#row(line);
    const fits = columnsOf(row) + " ×999".length < this.#output.columns;
    this.#write(`${this.#erased()}${painted(row, this.#tone(tone))}\n`);
    this.#watched = fits && clock !== "" ? [...this.#watched, line].slice(-WATCHED_MAX) : [];
  }

  /** Something of the command itself: nothing after it changes what stands above. */
  say(text: string): void {
    this.#write(this.#erased());
    this.#output.line(text);
    this.#watched = [];
  }

  status(text: string, tone: Tone): void {
    const line = painted(fitColumns(text, this.#output.columns - 1), this.#tone(tone));
    this.#write(`${ERASE_LINE}${line}`);
    this.#hasStatus = true;
  }

  close(): void {
    this.#write(this.#erased());
  }

  #count(index: number, clock: string): void {
    const rows = this.#watched.slice(index);
    const [again] = rows;
    if (again === undefined) return;
    again.times += 1;
    again.clock = clock;
    const text = rows
      .map((row) => `${ERASE_LINE}${painted(this.#row(row), this.#tone(row.tone))}\n`)
      .join("");
    this.#write(`${this.#erased()}${UP.repeat(rows.length)}${text}`);
  }

  #row({ clock, text, times }: Shown): string {
    const line = clock === "" ? text : `${clock}  ${text}`;
    return times === 1 ? line : `${line} ×${String(times)}`;
  }

  #tone(tone: Tone): Tone {
    return this.#output.colour ? tone : "plain";
  }

  #erased(): string {
    const was = this.#hasStatus;
    this.#hasStatus = false;
    return was ? ERASE_LINE : "";
  }

  #write(text: string): void {
    if (text !== "") this.#output.product(text);
  }
}
