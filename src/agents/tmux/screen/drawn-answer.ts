import type { Program, WordsLook } from "../programs/program.ts";
import { sinceLastSaid } from "./recognise.ts";

/** A shorter line was ended by the agent, not broken by the edge of the screen. */
const WRAPPED_CHARS_MIN = 60;

/**
 * What a program that draws has said last, by its screen: undefined where it has said nothing since it was last spoken
 * to, or used a tool after it. What began above the screen is all that is shown.
 */
export function drawnAnswer(program: Program, lines: readonly string[]): string | undefined {
  const { words } = program;
  if (words === undefined) return proseOf(lines);
  const shown = words.foot === undefined ? sinceLastSaid(program, lines) : aboveFoot(words.foot, lines);
  const first = firstOfLast(words, shown);
  if (first === -1) return isCutOff(program, lines) ? proseOf(shown) : undefined;
  const ends = shown.findIndex((line, at) => at > first && words.until.test(line));
  const end = ends === -1 ? shown.length : ends;
  const isCall = shown.slice(first).some((line) => words.call.test(line));
  if (isCall) return undefined;
  const [begun = "", ...more] = shown.slice(first, end);
  return proseOf([begun.replace(words.from, ""), ...more]) || undefined;
}

/** The words that are shown last; of lines that all look the same, those that follow each other are one. */
function firstOfLast({ from }: WordsLook, lines: readonly string[]): number {
  let at = lines.findLastIndex((line) => from.test(line));
  while (at > 0 && from.test(lines[at - 1] ?? "")) at -= 1;
  return at;
}

const aboveFoot = (foot: RegExp, lines: readonly string[]): readonly string[] => {
  const at = lines.findLastIndex((line) => foot.test(line));
  return at === -1 ? [] : lines.slice(0, at);
};

/** What was last sent to it is not on the screen any more: its answer is longer. */
const isCutOff = (program: Program, lines: readonly string[]): boolean =>
  program.words?.foot === undefined && sinceLastSaid(program, lines).length === lines.length;

/** As it was before the screen broke it into lines. */
export function proseOf(lines: readonly string[]): string {
  let text = "";
  let isWrapped = false;
  for (const line of lines.map((one) => one.trim())) {
    text += text === "" ? line : `${isWrapped && line !== "" ? " " : "\n"}${line}`;
    isWrapped = line.length >= WRAPPED_CHARS_MIN;
  }
  return text.replaceAll(/\n{2,}/g, "\n\n").trim();
}
