/**
 * What a terminal acts on, what reorders a line, and what nobody sees: controls, directions, separators that some
 * terminals take as line ends, and characters without a width, by which two different texts look alike.
 */
const UNSAFE =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class -- such characters are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Joiners belong into emoji, and between letters of scripts that are written joined; anywhere else they hide. */
const STRAY_JOINER =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\p{M}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}])[\u200c\u200d]/gu;

/**
 * Text whose control characters do nothing but show: agents and files must not move the cursor, retitle the window
 * or reorder a line of ours. Line ends and tabs stay.
 */
export const printable = (text: string): string =>
  text.toWellFormed().replaceAll(UNSAFE, shown).replaceAll(STRAY_JOINER, shown);

/** The same as one line, cut to a length. */
export function printableLine(text: string, charsMax = Infinity): string {
  const line = printable(text.replaceAll(/\s+/g, " ").trim());
  const chars = [...line];
  return chars.length <= charsMax ? line : `${chars.slice(0, Math.max(charsMax - 1, 0)).join("")}…`;
}

function shown(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `\\u{${code.toString(16)}}`;
}

/** What JSON may hold as it is, and a terminal or a reader may not. */
const UNSAFE_IN_JSON =
  // eslint-disable-next-line no-misleading-character-class -- such characters are what this is about
  /[\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** One JSON document in which no character is left that a terminal would act on or that nobody sees; it reads back the same. */
export const jsonText = (value: unknown, indent?: number): string =>
  escapeInJson(JSON.stringify(value, null, indent));

/** The same of a document that is text already. */
export const escapeInJson = (json: string): string =>
  json.replaceAll(UNSAFE_IN_JSON, (char) =>
    char
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
