import { isShell } from "../../is-shell.ts";
import type { DialogLook, Program } from "./program.ts";

const NEVER = /(?!)/;
export const PLAIN = "plain";

/** A program of which nothing is known but, where it is told, how its prompt looks. */
export function plainProgram(
  prompt: RegExp | undefined,
  command: readonly string[] = [],
  dialogs: readonly DialogLook[] = [],
): Program {
  return {
    name: PLAIN,
    voice: "lines",
    mute: isShell(command),
    queues: false,
    pastes: false,
    busy: [],
    input: prompt ?? NEVER,
    inputEmpty: /^/,
    pastedMark: NEVER,
    dialogs,
    limits: [],
    failures: [],
    keys: {
      clear: ["C-u"],
      interrupt: ["C-c"],
      allow: [],
      deny: [],
      allowLine: NEVER,
      denyLine: NEVER,
    },
  };
}

/** Nothing is known of where it waits for text. */
export const hasNoPrompt = ({ name, input }: Program): boolean =>
  name === PLAIN && input.source === NEVER.source;

/** A line longer than this is no prompt. */
export const PROMPT_LINE_CHARS_MAX = 160;
const PATTERN_CHARS_MAX = 200;
const REPETITIONS_MAX = 3;

/**
 * The prompt that people describe by a regular expression. It is tried on every screen, so only expressions are taken
 * that end soon whatever they are tried on: few repetitions, none of a group, no references back, no looking around.
 */
export function readPrompt(pattern: string): RegExp | { readonly problem: string } {
  if (pattern.length > PATTERN_CHARS_MAX)
    return { problem: refusal(pattern, `is longer than ${String(PATTERN_CHARS_MAX)} characters`) };
  const bare = pattern.replaceAll(/\\[^\d]/g, "x").replaceAll(/\[\^?\]?[^\]]{0,200}\]/g, "x");
  const problem =
    (/\)\s*[*+?{]/.test(bare) && "repeats a group") ||
    (/\\\d|\(\?[=!<]/.test(bare) && "refers back or looks around") ||
    ((bare.match(/[*+?{]/g) ?? []).length - (bare.match(/\(\?:/g) ?? []).length > REPETITIONS_MAX &&
      `repeats more than ${String(REPETITIONS_MAX)} times`) ||
    ((bare.match(/\|/g) ?? []).length > 4 && "has more than 5 alternatives");
  if (typeof problem === "string") return { problem: refusal(pattern, problem) };
  try {
    return new RegExp(pattern, "u");
  } catch (error) {
    return { problem: refusal(pattern, error instanceof Error ? error.message : "cannot be read") };
  }
}

const refusal = (pattern: string, problem: string): string =>
  `the prompt ${JSON.stringify(pattern.slice(0, 100))} ${problem}; expected a simple regular expression for the ` +
  `line in which the program waits for input, such as "^> $"`;
