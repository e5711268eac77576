import { type Program, PROMPT_LINE_CHARS_MAX } from "../programs/program.ts";
import { plainLine } from "./plain-text.ts";
import { type Signal, toExcerpt } from "../../../model/agent/signals.ts";
import { exactKey } from "../../../model/text/text-key.ts";

/** What a line that a program printed means; nothing where it is its prompt, or empty. */
export function lineSignal(
  program: Program,
  task: string,
  raw: string,
  printed?: PrintedMemory,
): Signal | undefined {
  const text = plainLine(raw);
  if (text === "" || isPrompt(program, text)) return undefined;
  // A prompt with our own words behind it.
  if (task !== "" && text.endsWith(task) && isPrompt(program, text.slice(0, -task.length)))
    return { kind: "message", from: "user", text: toExcerpt(text) };
  const again = printed?.knows(text) === true ? { again: true } : {};
  return { kind: "progress", text: toExcerpt(text), ...again };
}

const isPrompt = ({ input }: Program, text: string): boolean =>
  [text, `${text} `].some((line) => line.length <= PROMPT_LINE_CHARS_MAX && input.test(line));

/** So many lines are known; the oldest are forgotten first (I7). */
const LINES_MAX = 4_000;

/** Clocks, dates and spinners move by themselves; other numbers count something, and a log that counts gets on. */
const MOVING =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?(?:Z|[+-]\d\d:?\d\d)?\b|\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?\b|\b\d{1,6}(?:\.\d{1,3})? ?(?:ms|s|sec|secs|seconds|m|min)\b|[\u2800-\u28ff]/gu;

/**
 * Distinguishes lines that a program prints again from news. A line that comes once more within a short while is no
 * news.
 */
export class PrintedMemory {
  readonly #known = new Set<string>();

  /** Whether it was printed before; takes it to be known from now on. */
  knows(line: string): boolean {
    const key = exactKey(line.replaceAll(MOVING, "").replaceAll(/\s+/g, " ").trim());
    const known = this.#known.delete(key);
    this.#known.add(key);
    const [oldest] = this.#known.size > LINES_MAX ? this.#known : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    return known;
  }
}
