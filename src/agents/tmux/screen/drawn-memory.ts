import { statSync } from "node:fs";
import { newText } from "../follow-turn.ts";
import type { Program } from "../programs/program.ts";
import { squeezed } from "./plain-text.ts";
import { type Look, normalised } from "./recognise.ts";
import type { TerminalFolder } from "../terminal-folder.ts";

const LINES_MAX = 4_000;

/**
 * Distinguishes news on a screen from movement. A spinner, a clock and a bar are movement by themselves; so are words
 * that take turns while a provider hangs, advice to users, and screens that come round again: what was drawn before is
 * not progress. Neither is what appears while we type: those are our own words.
 */
export class DrawnMemory {
  readonly #moving: readonly RegExp[];
  readonly #said: string;
  #saidAt = 0;
  #last: readonly string[] = [];
  /** Lines as they were drawn, without what only moves; the oldest are forgotten first (I7). */
  readonly #known = new Set<string>();

  constructor({ noise = [], busy }: Pick<Program, "noise" | "busy">, { said }: Pick<TerminalFolder, "said">) {
    this.#moving = [...noise, ...busy];
    this.#said = said;
  }

  /** What is on the screen and was not at the last look; undefined where nothing is, or nothing that was never seen. */
  news(screen: readonly string[], look?: Pick<Look, "dialog" | "limit">): string | undefined {
    if (screen === this.#last) return undefined;
    const lines = screen.filter((line) => !this.#moving.some((look) => look.test(line)));
    const text = newText(this.#last, lines);
    this.#last = screen;
    const isNew = lines.filter((line) => this.#learns(line)).length > 0;
    const saidAt = statSync(this.#said, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const isOurs = saidAt !== this.#saidAt;
    this.#saidAt = saidAt;
    return isNew && !isOurs && !isDistinct(text, look) ? text : undefined;
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

/** What asks for something, or reports a limit, is reported for itself. */
const isDistinct = (text: string | undefined, look: Pick<Look, "dialog" | "limit"> | undefined): boolean =>
  look?.dialog !== undefined || (look?.limit !== undefined && text?.includes(look.limit.trim()) === true);

/** Asks until there is an answer, and gives that one from then on. */
export function remembered<Value>(ask: () => Value | undefined): () => Value | undefined {
  let known: Value | undefined;
  return () => (known ??= ask());
}
