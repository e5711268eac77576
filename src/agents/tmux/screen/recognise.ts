import { textDigest } from "../../to-signal.ts";
import {
  type DialogKind,
  type DialogLook,
  PLAIN,
  type Program,
  PROMPT_LINE_CHARS_MAX,
} from "../programs/program.ts";
import { genericDialog } from "./generic-dialog.ts";
import type { Screen } from "./look-at-panes.ts";

/** What one look at a terminal shows. It is one witness among several: a spinner turns while a provider hangs. */
export interface Look {
  readonly state: "idle" | "busy" | "dialog" | "starting" | "unknown";
  readonly dialog?: Dialog;
  /** What stands in the line of input; undefined where there is no such line. */
  readonly input: string | undefined;
  /** The provider's limit, as reported at the bottom of the screen. */
  readonly limit?: string;
  /** The provider failed, and is asked again. */
  readonly retry?: { readonly what: string; readonly nth: number };
}

export interface Dialog {
  readonly kind: DialogKind;
  readonly askId: string;
  readonly text: string;
  /** What is typed to answer it, where that was configured. */
  readonly keys?: DialogLook["keys"];
}

const LOWER_LINES = 24;
const FOOT_LINES = 12;

export function recognise(program: Program, screen: Screen): Look {
  const { title, lines } = screen;
  const shown = lines.filter((line) => line.trim() !== "");
  if (shown.length === 0) return { state: "starting", input: undefined };
  const lower = shown.slice(-LOWER_LINES);
  const foot = shown.slice(-FOOT_LINES);
  const open = program.dialogs.find((one) => one.shows.every((look) => look.test(foot.join("\n"))));
  const limit = limitIn(program, open === undefined ? sinceLastSaid(program, lower) : lower);
  const facts = { ...(limit === undefined ? {} : { limit }), ...retryIn(program, foot) };
  if (open !== undefined)
    return { state: "dialog", dialog: dialogOf(open, lower), input: undefined, ...facts };
  if (program.name === PLAIN) return { ...plainLook(program, screen), ...facts };
  if (program.titleDialog?.test(title) === true) return { state: "unknown", input: undefined, ...facts };
  const input = inputIn(program, foot);
  if (
    program.titleBusy?.test(title) === true ||
    foot.some((line) => program.busy.some((look) => look.test(line)))
  )
    return { state: "busy", input, ...facts };
  if (input !== undefined) return { state: "idle", input, ...facts };
  return { state: "unknown", input, ...facts };
}

function plainLook(program: Program, screen: Screen): Look {
  const waits = waitsFor(program, screen);
  if (waits === undefined) return { state: "unknown", input: undefined };
  if (waits.kind === "text") return { state: "idle", input: waits.input };
  const { text } = waits;
  return {
    state: "dialog",
    dialog: { kind: "question", text, askId: textDigest(normalised(text)) },
    input: undefined,
  };
}

/** One that draws has its line of input somewhere near the bottom. */
function inputIn(program: Program, foot: readonly string[]): string | undefined {
  const candidates = inputCandidates(program, foot);
  for (const line of candidates) {
    const match = program.input.exec(line.slice(0, PROMPT_LINE_CHARS_MAX));
    if (match === null) continue;
    const text = match[1] ?? "";
    return program.inputEmpty.test(text) ? "" : text.trim();
  }
  return undefined;
}

function inputCandidates({ inputAbove }: Program, foot: readonly string[]): readonly string[] {
  if (inputAbove === undefined) return foot.toReversed();
  const below = foot.findLastIndex((line) => inputAbove.line.test(line));
  return below < inputAbove.by ? [] : foot.slice(below - inputAbove.by, below - inputAbove.by + 1);
}

function dialogOf({ kind, from, keys }: DialogLook, lower: readonly string[]): Dialog {
  const begins = lower.findLastIndex((line) => from.test(line));
  const text = lower
    .slice(Math.max(0, begins))
    .map((line) => line.replaceAll(/[\u2500-\u257f]/gu, " ").trim())
    .filter((line) => line !== "")
    .join("\n");
  return { kind, text, askId: textDigest(normalised(text)), ...(keys === undefined ? {} : { keys }) };
}

/** What the program has shown since it was last spoken to: what stands above is of an earlier turn. */
export function sinceLastSaid(program: Program, lines: readonly string[]): readonly string[] {
  if (program.voice === "lines") return lines;
  const said = lines.findLastIndex((line) => {
    const text = program.input.exec(line)?.[1] ?? "";
    return !program.inputEmpty.test(text) && !/^(?:\/|\d\. )/.test(text);
  });
  return lines.slice(said + 1);
}

function retryIn({ retries }: Program, foot: readonly string[]): Pick<Look, "retry"> {
  const found = foot.map((line) => retries?.exec(line)).findLast((match) => match);
  return found ? { retry: { what: found[1] ?? "", nth: Number(found[2]) } } : {};
}

const limitIn = (program: Program, lower: readonly string[]): string | undefined =>
  lower
    .map((line) => program.limits.map((look) => look.exec(line)?.[0]).find((text) => text))
    .findLast((text) => text);

/** The same screen while only spinners, seconds, bars, counts and the place of a cursor move. */
export const normalised = (text: string): string =>
  text
    .replaceAll(/[\u2800-\u28ff·✢✳✶✻✽⬝■●›❯|/\\-]/gu, "")
    .replaceAll(/\d+/g, "0")
    .replaceAll(/[ \t]+/g, " ");

/** Rows above and below the cursor in which a prompt is looked for. */
const NEAR_ROWS = 3;

/**
 * What a program of which little is known waits for: text at its prompt, a choice, or nothing that can be determined.
 */
function waitsFor(
  program: Program,
  screen: Screen,
):
  | { readonly kind: "text"; readonly input: string }
  | { readonly kind: "choice"; readonly text: string }
  | undefined {
  const input = promptInput(program, screen);
  const asked = genericDialog(screen, input !== undefined);
  if (asked !== undefined) return { kind: "choice", text: asked };
  return input === undefined ? undefined : { kind: "text", input };
}

/**
 * What stands in the line of input: the cursor's row, as it is up to the cursor or as a whole. A row near it counts
 * where it holds the prompt and nothing else: some programs draw a cursor of their own. The last row counts where it is
 * not above the cursor: some programs are known by the foot of their screen. Where the cursor is not known, it counts.
 */
function promptInput({ input }: Program, { lines, cursor }: Screen): string | undefined {
  const matches = (row: string): RegExpExecArray | null =>
    row.length > PROMPT_LINE_CHARS_MAX ? null : (input.exec(row) ?? input.exec(`${row} `));
  const lastRow = lines.findLastIndex((line) => line.trim() !== "");
  const foot = textIn(matches((lines[lastRow] ?? "").slice(0, PROMPT_LINE_CHARS_MAX)));
  if (cursor === undefined) return foot;
  const row = lines[cursor.y] ?? "";
  const here = matches(row.slice(0, cursor.x).trimEnd()) ?? matches(row.slice(0, PROMPT_LINE_CHARS_MAX));
  if (here !== null) return textIn(here);
  const from = Math.max(0, cursor.y - NEAR_ROWS);
  const near = lines.slice(from, cursor.y + NEAR_ROWS + 1).filter((line) => line.trim() !== "");
  if (near.some((line) => matches(line)?.[0].trimEnd() === line.trimEnd())) return "";
  return lastRow >= cursor.y ? foot : undefined;
}

const textIn = (match: RegExpExecArray | null): string | undefined =>
  match === null ? undefined : (match[1] ?? "").trim();
