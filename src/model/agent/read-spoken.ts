import type { Spoken } from "./observed.ts";
import { alikeKey, exactKey } from "../text/text-key.ts";

const FENCE = "```";
/** A sentence shorter than this says nothing when it comes again: "ok", "Done.", "- yes". */
const SENTENCE_LETTERS_MIN = 15;
const READ_CHARS_MAX = 20_000;
/** Fewer sentences cannot be a chant. */
const SENTENCES_MIN = 10;

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
    ...(saysItStops(sentences) ? { stops: true } : {}),
  };
}

/** The one who speaks gives up, or ends its work here. Said of a program ("I stop the server") it goes on. */
const STOPS =
  /^(?:(?:so|therefore|unfortunately|sorry|ok(?:ay)?|at this point|for now|given (?:this|that)|since [^,]{1,80}),? ){0,2}(?:i(?:['’]ll| will|['’]m going to| am going to| have to| must| need to| should| can only| now)? (?:now )?(?:stop|end|halt|pause|give up|leave it)(?: (?:here|now|at this point|working|trying|my work|the (?:task|attempt|work)|this (?:task|attempt)|and (?:wait|report|ask|hand)\b.{0,80}|there|at that))?$|i(?:['’]m| am) (?:now )?(?:stopping|giving up|ending|halting|pausing)(?: (?:here|now|at this point|my work|the (?:task|attempt|work)|there))?$|i (?:give|am giving) up\b|(?:stopping|giving up|ending) (?:here|now|the (?:task|attempt))$|i (?:can(?:no|['’])t|am unable to|was unable to|can not) (?:continue|proceed|go on|make (?:any )?(?:further )?progress|get any further|go any further)\b)/i;
const STOPS_SENTENCES = 4;

/** In one of its last sentences. */
const saysItStops = (sentences: readonly string[]): boolean =>
  sentences
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")
    .slice(-STOPS_SENTENCES)
    .flatMap((sentence) => sentence.slice(0, 300).split(/[,;:–—] (?:so|and|therefore|but)? ?/))
    .some((clause) => STOPS.test(clause.trim()));

/** A message of a word or two may be nothing but a number or an id: it is compared as it is. */
function wordsKey(text: string): string {
  const low = text.toLowerCase();
  return /\S\s+\S+\s+\S/.test(text) ? alikeKey(low) : exactKey(low);
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

const LETTERS_READ = 4_000;

/** Of any script: what is beyond the signs of Latin-1 counts as a letter, but for dividers and pictures. */
function countLetters(text: string): number {
  let letters = 0;
  for (let at = Math.min(text.length, LETTERS_READ) - 1; at >= 0; at -= 1) {
    const code = text.charCodeAt(at);
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) letters += 1;
    else if (code >= 0xc0 && (code < 0x2000 || (code > 0x2fff && code < 0xd800))) letters += 1;
  }
  return letters;
}

function mostRepeated(sentences: readonly string[]): number {
  const counts = new Map<string, number>();
  let most = 0;
  if (sentences.length < SENTENCES_MIN) return most;
  for (const sentence of sentences) {
    const words = sentence.trim();
    if (words.length < SENTENCE_LETTERS_MIN || countLetters(words) < SENTENCE_LETTERS_MIN) continue;
    const count = (counts.get(words) ?? 0) + 1;
    counts.set(words, count);
    if (count > most) most = count;
  }
  return most;
}
