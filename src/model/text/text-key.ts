/** Stands for a text when texts are compared: equal texts have equal keys, and keys are short. */
export interface TextKeys {
  /** Equal for equal texts only. */
  readonly exact: string;
  /** Equal also where texts differ only in numbers, times, hexadecimal words, ids, temporary paths and spacing. */
  readonly alike: string;
}

const HASH = 35;
const SPACE = 32;
/** Stands behind the last sign, so that the last word ends too. */
const END = SPACE;
const SLASH = 47;

/** A text longer than this is compared by its ends; a result of megabytes must not hold up everybody else. */
const COMPARED_CHARS_MAX = 65_536;

const OTHER = 0;
const BLANK = 1;
/** From here on each has a bit of its own: what a word is made of is their sum. */
const DIGIT = 2;
const HEX_LETTER = 4;
const LETTER = 8;

const LATIN_SIGNS = 256;

/** What each sign is; looked up, because it is asked for every character. Beyond Latin-1 no sign is distinguished. */
const CLASSES = Uint8Array.from({ length: LATIN_SIGNS }, (_none, code) => {
  if (code === SPACE || (code >= 9 && code <= 13) || code === 0xa0) return BLANK;
  if (code >= 48 && code <= 57) return DIGIT;
  if ((code >= 97 && code <= 102) || (code >= 65 && code <= 70)) return HEX_LETTER;
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) ? LETTER : OTHER;
});
const classOf = (code: number): number => CLASSES[code] ?? OTHER;

const FIRST = 2_654_435_761;
const SECOND = 1_597_334_677;

const EXACT_HIGH = 0x9e3779b1 | 0;
const EXACT_LOW = 0x85ebca77 | 0;
const ALIKE_HIGH = 0xdeadbeef | 0;
const ALIKE_LOW = 0x41c6ce57 | 0;

export function exactKey(whole: string): string {
  const text = compared(whole);
  const { length } = text;
  let high = EXACT_HIGH;
  let low = EXACT_LOW;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, FIRST);
    low = Math.imul(low ^ code, SECOND);
  }
  return keyOf(high, low ^ whole.length);
}

export const alikeKey = (whole: string): string => textKeys(whole).alike;

/**
 * Both keys in one pass over the text, without building another one. Where numbers do not count, a run of digits is one
 * mark, and a word that can only be an id or an address is one as a whole. In one piece, because judging spends most of
 * its time here.
 */
export function textKeys(whole: string): TextKeys {
  const text = compared(whole);
  const { length } = text;
  let exactHigh = EXACT_HIGH;
  let exactLow = EXACT_LOW;
  let high = ALIKE_HIGH;
  let low = ALIKE_LOW;
  // The word that is being read: where it began, the key before it, and its runs of letters or of digits.
  let start = 0;
  let highBefore = 0;
  let lowBefore = 0;
  let [runs, kinds, before, pathTo] = [0, 0, BLANK, 0];
  for (let at = 0; at <= length; at += 1) {
    const code = at < length ? text.charCodeAt(at) : END;
    const kind = classOf(code);
    if (at < length) {
      exactHigh = Math.imul(exactHigh ^ code, FIRST);
      exactLow = Math.imul(exactLow ^ code, SECOND);
    }
    if (at < pathTo) continue;
    if (kind > DIGIT) {
      if (before < DIGIT) {
        start = at;
        highBefore = high;
        lowBefore = low;
        runs = kinds = 0;
      }
      if (before <= DIGIT) runs += 1;
      high = Math.imul(high ^ code, FIRST);
      low = Math.imul(low ^ code, SECOND);
      kinds |= kind;
    } else if (kind === DIGIT) {
      if (before === DIGIT) continue;
      if (before < DIGIT) {
        start = at;
        highBefore = high;
        lowBefore = low;
        runs = kinds = 0;
      }
      runs += 1;
      high = Math.imul(high ^ HASH, FIRST);
      low = Math.imul(low ^ HASH, SECOND);
      kinds |= DIGIT;
    } else {
      if (before >= DIGIT && isId(text, start, at, runs, kinds)) {
        high = Math.imul(highBefore ^ HASH, FIRST);
        low = Math.imul(lowBefore ^ HASH, SECOND);
      }
      if (at === length || (kind === BLANK && before === BLANK)) continue;
      const temporary = code === SLASH && startsTemporary(text, at);
      if (temporary) pathTo = pathEnd(text, at, length);
      const added = temporary ? HASH : kind === BLANK ? SPACE : code;
      high = Math.imul(high ^ added, FIRST);
      low = Math.imul(low ^ added, SECOND);
    }
    before = kind;
  }
  return { exact: keyOf(exactHigh, exactLow ^ whole.length), alike: keyOf(high, low) };
}

const compared = (whole: string): string =>
  whole.length <= COMPARED_CHARS_MAX
    ? whole
    : whole.slice(0, COMPARED_CHARS_MAX / 2) + whole.slice(-COMPARED_CHARS_MAX / 2);

/** With a digit in it, and hexadecimal, or of letters and digits that take turns, or `0x…`. */
function isId(text: string, start: number, end: number, runs: number, kinds: number): boolean {
  if ((kinds & DIGIT) === 0) return false;
  const chars = end - start;
  return (
    ((kinds & LETTER) === 0 && chars >= 4) ||
    (runs > 3 && chars >= 10) ||
    (chars > 3 && text.startsWith("0x", start))
  );
}

/** Fifty-three bits, well mixed, in base 36. */
function keyOf(high: number, low: number): string {
  let one = Math.imul(high ^ (high >>> 16), 2_246_822_507);
  one ^= Math.imul(low ^ (low >>> 13), 3_266_489_909);
  let two = Math.imul(low ^ (low >>> 16), 2_246_822_507);
  two ^= Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return base36(4_294_967_296 * (2_097_151 & two) + (one >>> 0));
}

const FIVE_DIGITS = 36 ** 5;

/** In two halves that fit into small integers, which are several times as quick to write as large numbers. */
function base36(value: number): string {
  const front = Math.floor(value / FIVE_DIGITS);
  const back = value - front * FIVE_DIGITS;
  return front === 0 ? back.toString(36) : front.toString(36) + (back + FIVE_DIGITS).toString(36).slice(1);
}

/** Folders whose names are made up again each time. */
const TEMPORARY = ["/tmp/", "/var/tmp/", "/var/folders/", "/private/tmp/", "/dev/shm/"];
const startsTemporary = (text: string, index: number): boolean =>
  TEMPORARY.some((folder) => text.startsWith(folder, index));

function pathEnd(text: string, start: number, length: number): number {
  let end = start + 1;
  while (end < length && !endsPath(text.charCodeAt(end))) end += 1;
  return end;
}

/** Space, quotes, brackets, comma, semicolon, colon, and what shells use between commands. */
const endsPath = (code: number): boolean =>
  classOf(code) === BLANK || `"'\`()[]{}<>,;:|&`.includes(String.fromCharCode(code));
