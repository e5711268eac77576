import { readPlainAt, refusalFault } from "../../../files/plain-file.ts";
import { lookAtOne } from "../screen/look-at-panes.ts";
import { drawnText, endOf, endsWith, typeable } from "../screen/plain-text.ts";
import type { Speaking } from "./speaking.ts";
import { sizeOf, type TerminalFolder } from "../terminal-folder.ts";

/** A terminal in its default mode keeps no longer line. */
const LINE_BYTES_MAX = 4_000;

export interface Prepared {
  readonly text: string;
  readonly note: string;
}

/** A text as it can be typed into this program. */
export function prepare(
  { program, terminal }: Speaking,
  text: string,
): Prepared | { readonly problem: string } {
  const { text: clean, removed } = typeable(text);
  if (clean === "") return { problem: "nothing but control characters is in the text; expected words" };
  const note = removed === 0 ? "" : `; ${String(removed)} control characters were left out`;
  if (program.pastes || takesPastes(terminal)) return { text: clean, note };
  const line = clean.replaceAll("\n", " ");
  if (Buffer.byteLength(line) > LINE_BYTES_MAX)
    return {
      problem: `the text is ${String(Buffer.byteLength(line))} bytes long, and the program takes single lines; expected at most ${String(LINE_BYTES_MAX)}`,
    };
  return { text: line, note: line === clean ? note : `${note}; its lines were joined to one` };
}

/** Whether the program has asked its terminal to mark what is pasted, and has not taken that back. */
function takesPastes({ raw }: TerminalFolder): boolean {
  const size = sizeOf(raw);
  const text = readBytes(raw, Math.max(0, size - MODE_BYTES), size) || "";
  const [on, off] = ["\u001b[?2004h", "\u001b[?2004l"].map((mode) => text.lastIndexOf(mode));
  if (on === -1 && off === -1) return readBytes(raw, 0, MODE_BYTES).includes("\u001b[?2004h");
  return (on ?? -1) > (off ?? -1);
}
const MODE_BYTES = 256 * 1024;

/** What the program has drawn since it had written so much. */
export const drawnSince = ({ raw }: TerminalFolder, from: number): string =>
  drawnText(readBytes(raw, from, sizeOf(raw)));

const READ_BYTES_MAX = 4 * 1024 * 1024;
function readBytes(file: string, from: number, to: number): string {
  const read = readPlainAt(file, { from, bytesMax: Math.min(to - from, READ_BYTES_MAX) });
  if (read.kind === "refused") throw refusalFault(file, read);
  return read.kind === "absent" ? "" : read.bytes.toString("utf8");
}

const OWN_CHARS = 24;

/** Of a program that prints: what looks like a question is the text that was just typed. */
export async function endsInText({ tmux, terminal, program }: Speaking, text: string): Promise<boolean> {
  if (program.voice !== "lines") return false;
  const screen = await lookAtOne(tmux, terminal.session);
  if (screen?.cursor === undefined) return false;
  const { lines, cursor } = screen;
  const row = lines[cursor.y] ?? "";
  // The cursor counts columns, of which some characters take none or two: the row may reach beyond it.
  return [row.slice(0, cursor.x), row].some((here) =>
    endsWith([...lines.slice(0, cursor.y), here].join(""), endOf(text, OWN_CHARS)),
  );
}
