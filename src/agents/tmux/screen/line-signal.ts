import { toExcerpt, type Signal } from "../../../model/agent/signals.ts";
import type { PrintedMemory } from "./printed-memory.ts";
import { plainLine } from "./plain-text.ts";
import { PROMPT_LINE_CHARS_MAX } from "../programs/plain.ts";
import type { Program } from "../programs/program.ts";

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
