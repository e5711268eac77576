import type { Effect } from "../../model/effects/effects.ts";

const WORDS_MAX = 120;
/** Of a text that is mostly blanks no more than this is looked at. */
const READ_CHARS = 480;

/** The first words of a text on one line, with one blank between words. */
export function excerpt(text: string): string {
  const end = Math.min(text.length, READ_CHARS);
  let line = "";
  for (let at = 0; at < end && line.length <= WORDS_MAX;) {
    while (at < end && isBlank(text.charCodeAt(at))) at += 1;
    const from = at;
    while (at < end && at - from <= WORDS_MAX && !breaksAt(text, at, end)) at += 1;
    if (at > from) line = line === "" ? text.slice(from, at) : `${line} ${text.slice(from, at)}`;
  }
  return line.length <= WORDS_MAX ? line : `${line.slice(0, WORDS_MAX)}…`;
}

/** A single space stays as it is; any other blank ends what can be taken as a whole. */
function breaksAt(text: string, at: number, end: number): boolean {
  const code = text.charCodeAt(at);
  if (!isBlank(code)) return false;
  return code !== 32 || at + 1 >= end || isBlank(text.charCodeAt(at + 1));
}

const isBlank = (code: number): boolean =>
  code <= 32 ? code === 32 || (code >= 9 && code <= 13) : code >= 0xa0 && OTHER_BLANK.has(code);

/** Blanks of Unicode beyond ASCII. */
const OTHER_BLANK = new Set([
  0xa0, 0x16_80, 0x20_00, 0x20_01, 0x20_02, 0x20_03, 0x20_04, 0x20_05, 0x20_06, 0x20_07, 0x20_08, 0x20_09,
  0x20_0a, 0x20_28, 0x20_29, 0x20_2f, 0x20_5f, 0x30_00, 0xfe_ff,
]);

/** What is about to be done outside the journal. */
export const describeIntent = ({ effect, key }: { readonly effect: Effect; readonly key: string }): string =>
  effect.kind === "AnswerPermission"
    ? `${effect.attempt}: permission ${effect.allow ? "given" : "denied"} (${effect.rule ?? "by a person"}): ${excerpt(effect.what)}`
    : `intends ${effect.kind} (${key})`;
