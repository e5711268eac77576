import { isShell } from "../../is-shell.ts";

/** What is known of one terminal program, as data: how its screen and title look, and which keys it takes. */
export interface Program {
  readonly name: string;
  /**
   * `lines`: it prints lines, and they are its voice. `screen`: it draws, and only what its screen shows is reported.
   */
  readonly voice: "lines" | "screen";
  /** It carries out its input and has no word of its own about it: a shell, or an interpreter at its prompt. */
  readonly mute?: boolean;
  /** Whether text given while it works waits for the end of its turn. */
  readonly queues: boolean;
  /** Whether it takes a paste as one text, with its newlines. */
  readonly pastes: boolean;
  readonly titleBusy?: RegExp;
  readonly titleDialog?: RegExp;
  /** On the lines at the bottom of the screen. */
  readonly busy: readonly RegExp[];
  /** The line, near the bottom, in which text is typed; its first group is what stands there. */
  readonly input: RegExp;
  /** Where other lines look the same: a line that does not, and how far above it the line of input is. */
  readonly inputAbove?: { readonly line: RegExp; readonly by: number };
  /** What stands there when nothing was typed. */
  readonly inputEmpty: RegExp;
  /** What it shows instead of a long text. */
  readonly pastedMark: RegExp;
  /** The first that matches the lower part of the screen is open. */
  readonly dialogs: readonly DialogLook[];
  /** Lines that come and go while nothing gets on: advice to users, spinners, the foot of the screen. */
  readonly noise?: readonly RegExp[];
  /** The line that shows that the provider failed and is asked again: what happened, and the how manieth try it is. */
  readonly retries?: RegExp;
  /** Lines that report a provider's limit. */
  readonly limits: readonly RegExp[];
  readonly failures: readonly RegExp[];
  /** Of a program that draws: how its own words look. */
  readonly words?: WordsLook;
  readonly keys: Keys;
  /** How it goes on with a conversation; undefined where it cannot, or names its conversations itself. */
  readonly conversation?: ConversationWords;
}

export interface ConversationWords {
  readonly begin: (id: string) => readonly string[];
  readonly goOn: (id: string) => readonly string[];
  /** Words of a person's own by which they have decided which conversation it is. */
  readonly decided: RegExp;
  /**
   * A line of a conversation on the screen. Of a program that offers its line of input before it has loaded the
   * conversation it goes on with: until then it drops what is typed, or takes Enter as part of it.
   */
  readonly shown?: RegExp;
}

export interface WordsLook {
  /** How the first line of its words begins. */
  readonly from: RegExp;
  /** The first line that is not part of them any more. */
  readonly until: RegExp;
  /** A line that reports a tool: what stands above it was not said last. */
  readonly call: RegExp;
  /** The line below all that was said, where what was sent to it looks like its line of input. */
  readonly foot?: RegExp;
}

export interface DialogLook {
  readonly kind: DialogKind;
  /** All of them, in the lower part of the screen. */
  readonly shows: readonly RegExp[];
  /** The line it begins with, for what it asks. */
  readonly from: RegExp;
  /** What is typed to answer it; undefined where the program's own keys do. */
  readonly keys?: { readonly allow: readonly string[]; readonly deny: readonly string[] };
}

/** `limit` offers ways out of a limit; `question` is any other. */
export type DialogKind = "permission" | "limit" | "question";

export interface Keys {
  readonly clear: readonly string[];
  readonly interrupt: readonly string[];
  /** `{digit}` is the number in front of the line that `allowLine` or `denyLine` matches. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly allowLine: RegExp;
  readonly denyLine: RegExp;
}

const NEVER = /(?!)/;
export const PLAIN = "plain";

/** A program of which nothing is known but, where the configuration names it, its prompt. */
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
 * that end soon, no matter what they are tried on: few repetitions, none of a group, no references back, no looking
 * around.
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
