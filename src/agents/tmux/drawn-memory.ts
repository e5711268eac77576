import { newText } from "./follow-turn.ts";
import { squeezed } from "./plain-text.ts";
import { normalised } from "./recognise.ts";

const LINES_MAX = 4_000;

/**
 * Tells news on a screen from movement. A spinner, a clock and a bar are movement by themselves; so are words that take
 * turns while a provider hangs, and screens that come round again: what was drawn before is not progress.
 */
export class DrawnMemory {
  #last: readonly string[] = [];
  /** Lines as they were drawn, without what only moves; the oldest are forgotten first (I7). */
  readonly #known = new Set<string>();

  /** What is on the screen and was not at the last look; undefined where nothing is, or nothing that was never seen. */
  news(lines: readonly string[]): string | undefined {
    if (lines === this.#last) return undefined;
    const text = newText(this.#last, lines);
    this.#last = lines;
    const isNew = lines.filter((line) => this.#learns(line)).length > 0;
    return isNew ? text : undefined;
  }

  #learns(line: string): boolean {
    const key = normalised(line).trim();
    if (squeezed(key) === "") return false;
    const isNew = !this.#known.delete(key);
    this.#known.add(key);
    const [oldest] = this.#known.size > LINES_MAX ? this.#known : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    return isNew;
  }
}
