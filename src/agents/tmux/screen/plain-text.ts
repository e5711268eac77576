import { trimmedEnd } from "../../../model/text/trim-end.ts";

/**
 * What a person would read of what was written to a terminal, line by line. Escape sequences are taken out, what a
 * carriage return or a backspace wrote over is gone, and other control characters are left out.
 */
export function plainLine(raw: string): string {
  const visible = trimmedEnd(raw.replaceAll(ESCAPES, ""), "\r");
  const overwritten = visible.slice(visible.lastIndexOf("\r") + 1);
  return backspaced(overwritten).replaceAll(CONTROLS, "").trimEnd();
}

// Strings to the terminal (titles, links, its own inquiries) end in BEL or ESC \; a line may end within one.
const ESCAPES =
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  /\u001b(?:[\]P_^X][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\[[0-?]*[ -/]*[@-~]?|[ -/]*[0-~]?)|\u009b[0-?]*[ -/]*[@-~]?/g;
// eslint-disable-next-line no-control-regex -- see above
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** All that was written, with nothing taken for written over: what a program drew, in the order in which it drew it. */
export const drawnText = (raw: string): string => raw.replaceAll(ESCAPES, " ").replaceAll(CONTROLS, "");

function backspaced(text: string): string {
  if (!text.includes("\b")) return text;
  const kept: string[] = [];
  for (const char of text)
    if (char === "\b") kept.pop();
    else kept.push(char);
  return kept.join("");
}

export interface CleanText {
  readonly text: string;
  /** How many characters were taken out. */
  readonly removed: number;
}

/**
 * Text that is safe to type: an escape could end a paste or press keys. Newline and tab are kept, and every way to end
 * a line is a newline.
 */
export function typeable(text: string): CleanText {
  const lines = text.replaceAll(/\r\n?/g, "\n");
  // eslint-disable-next-line no-control-regex -- see above
  const clean = lines.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
  return { text: clean.toWellFormed(), removed: lines.length - clean.length };
}

/** What two texts have in common however a terminal wrapped, boxed or spaced them. */
export const squeezed = (text: string): string => text.replaceAll(/[\s\u2500-\u259f\u2800-\u28ff]+/gu, "");

/**
 * The end of a text by which it is found on a screen. Terminals drop joiners and marks, cut long sequences of emoji and
 * give them fewer columns than characters, so a text is compared without them, unless it holds nothing else.
 */
export function endOf(text: string, chars: number): string {
  const plain = [...drawnAlike(text)];
  return (plain.length > 0 ? plain : [...squeezed(text)]).slice(-chars).join("");
}

/** Whether a screen shows this end of a text, or ends with it. */
export const showsEnd = (screen: string, end: string): boolean =>
  squeezed(screen).includes(end) || drawnAlike(screen).includes(end);
export const endsWith = (screen: string, end: string): boolean =>
  squeezed(screen).endsWith(end) || drawnAlike(screen).endsWith(end);

const drawnAlike = (text: string): string =>
  squeezed(text).replaceAll(
    /[\p{M}\p{Cf}\p{Extended_Pictographic}]|[\u{1f1e6}-\u{1f1ff}]|[\u{1f3fb}-\u{1f3ff}]/gu,
    "",
  );
