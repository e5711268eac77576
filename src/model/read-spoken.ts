import type { Spoken } from "./observed.ts";
import { textKeys } from "./text-key.ts";

const FENCE = "```";
/** A sentence shorter than this says nothing when it comes again: "ok", "Done.", "- yes". */
const SENTENCE_LETTERS_MIN = 15;
const READ_CHARS_MAX = 20_000;

/** Announces an action by the one who speaks. Only how a sentence begins is looked at. */
const PROMISE =
  /^(?:ok(?:ay)?[,.!]? |now,? |next,? |first,? |then,? |so,? |great[,.!]? |sure[,.!]? |understood[,.!]? ){0,2}(?:i['’]?ll\b|i will\b|i am going to\b|i['’]m going to\b|let me\b|let['’]s\b|i(?:['’]m| am) now\b|(?:proceeding|starting|continuing|moving on) (?:to|with|by)\b)/i;

/** What a message of the agent comes to, in one pass. */
export function readSpoken(whole: string): Spoken {
  const text = whole.length > READ_CHARS_MAX ? whole.slice(-READ_CHARS_MAX) : whole;
  const parts = text.split(FENCE);
  const prose = parts.filter((_part, index) => index % 2 === 0).join("\n");
  const sentences = prose.split(/[\n.!?]/);
  const last = lastSaid(prose);
  return {
    alike: wordsKey(text),
    letters: countLetters(text),
    fences: parts.length - 1,
    chants: mostRepeated(sentences),
    promises: PROMISE.test(last) && !prose.trimEnd().endsWith("?"),
    asks: prose.trimEnd().endsWith("?"),
  };
}

/** A message of a word or two may be nothing but a number or an id: it is compared as it is. */
function wordsKey(text: string): string {
  const keys = textKeys(text.toLowerCase());
  return /\S\s+\S+\s+\S/.test(text) ? keys.alike : keys.exact;
}

/** The beginning of the last sentence that says something. */
function lastSaid(prose: string): string {
  const ended = prose.trimEnd().replace(/[.!:…]{1,5}$/, "");
  const from = Math.max(ended.lastIndexOf("\n"), ended.lastIndexOf(". "), ended.lastIndexOf("! "));
  return ended
    .slice(from + 1)
    .trimStart()
    .slice(0, 200);
}

const ANY_LETTER = /\p{L}/gu;
const countLetters = (text: string): number => text.slice(0, 4_000).match(ANY_LETTER)?.length ?? 0;

function mostRepeated(sentences: readonly string[]): number {
  const counts = new Map<string, number>();
  let most = 0;
  for (const sentence of sentences) {
    const words = sentence.trim();
    if (words.length < SENTENCE_LETTERS_MIN || countLetters(words) < SENTENCE_LETTERS_MIN) continue;
    const count = (counts.get(words) ?? 0) + 1;
    counts.set(words, count);
    if (count > most) most = count;
  }
  return most;
}
