import { PROMPT_LINE_CHARS_MAX } from "../programs/plain.ts";
import type { Program } from "../programs/program.ts";
import { genericDialog } from "./generic-dialog.ts";
import type { Screen } from "./screen.ts";

/** Rows above and below the cursor in which a prompt is looked for. */
const NEAR_ROWS = 3;

/** What a program of which little is known waits for: text at its prompt, a choice, or nothing that can be told. */
export function waitsFor(
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
