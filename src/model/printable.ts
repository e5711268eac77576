/** Directions that reorder what a person reads, and separators that some terminals take as line ends. */
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Text whose control characters do nothing but show: agents and files must not move the cursor, retitle the window
 * or reorder a line of ours. Line ends and tabs stay.
 */
export const printable = (text: string): string => text.toWellFormed().replaceAll(UNSAFE, shown);

/** The same as one line, cut to a length. */
export function printableLine(text: string, charsMax = Infinity): string {
  const line = printable(text.replaceAll(/\s+/g, " ").trim());
  const chars = [...line];
  return chars.length <= charsMax ? line : `${chars.slice(0, Math.max(charsMax - 1, 0)).join("")}…`;
}

function shown(char: string): string {
  const code = char.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `\\u{${code.toString(16)}}`;
}

/** One JSON document in which no character is left that a terminal would act on. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
