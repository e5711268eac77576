/** Stands for a text when texts are compared: equal texts have equal keys, and keys are short. */
export interface TextKeys {
  /** Equal for equal texts only. */
  readonly exact: string;
  /** Equal also where texts differ only in numbers, times, hexadecimal words, ids, temporary paths and spacing. */
  readonly alike: string;
}

const DIGIT_0 = 48;
const DIGIT_9 = 57;
const HASH = 35;
const SPACE = 32;
const SLASH = 47;

/** A text longer than this is compared by its ends; a result of megabytes must not hold up everybody else. */
const COMPARED_CHARS_MAX = 65_536;

/** One pass over the text, without building another one. */
export function textKeys(whole: string): TextKeys {
  const text = whole.length <= COMPARED_CHARS_MAX ? whole : ends(whole);
  const hash = new Hash();
  let exactHigh = 0x9e3779b1;
  let exactLow = 0x85ebca77;
  const { length } = text;
  let index = 0;
  let afterSpace = true;
  while (index < length) {
    const start = index;
    const code = text.charCodeAt(index);
    if (isWordChar(code)) {
      index = wordEnd(text, index, length);
      addWord(hash, text, start, index);
      afterSpace = false;
    } else if (isSpace(code)) {
      index += 1;
      if (!afterSpace) hash.add(SPACE);
      afterSpace = true;
    } else if (code === SLASH && startsTemporary(text, index)) {
      index = pathEnd(text, index, length);
      hash.add(HASH);
      afterSpace = false;
    } else {
      index += 1;
      hash.add(code);
      afterSpace = false;
    }
    for (let at = start; at < index; at += 1) {
      const char = text.charCodeAt(at);
      exactHigh = Math.imul(exactHigh ^ char, 2_654_435_761);
      exactLow = Math.imul(exactLow ^ char, 1_597_334_677);
    }
  }
  return { exact: keyOf(exactHigh, exactLow ^ whole.length), alike: hash.key() };
}

const ends = (whole: string): string =>
  whole.slice(0, COMPARED_CHARS_MAX / 2) + whole.slice(-COMPARED_CHARS_MAX / 2);

class Hash {
  #high = 0xdeadbeef;
  #low = 0x41c6ce57;

  add(code: number): void {
    this.#high = Math.imul(this.#high ^ code, 2_654_435_761);
    this.#low = Math.imul(this.#low ^ code, 1_597_334_677);
  }

  key(): string {
    return keyOf(this.#high, this.#low);
  }
}

/** Fifty-three bits, well mixed, in base 36. */
function keyOf(high: number, low: number): string {
  let one = Math.imul(high ^ (high >>> 16), 2_246_822_507);
  one ^= Math.imul(low ^ (low >>> 13), 3_266_489_909);
  let two = Math.imul(low ^ (low >>> 16), 2_246_822_507);
  two ^= Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & two) + (one >>> 0)).toString(36);
}

const isDigit = (code: number): boolean => code >= DIGIT_0 && code <= DIGIT_9;
const isSpace = (code: number): boolean => code === SPACE || (code >= 9 && code <= 13) || code === 0xa0;
const isWordChar = (code: number): boolean =>
  isDigit(code) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
const isHexLetter = (code: number): boolean => (code >= 97 && code <= 102) || (code >= 65 && code <= 70);

function wordEnd(text: string, start: number, length: number): number {
  let end = start + 1;
  while (end < length && isWordChar(text.charCodeAt(end))) end += 1;
  return end;
}

/** A run of digits becomes one mark; a word that can only be an id or an address becomes one as a whole. */
function addWord(hash: Hash, text: string, start: number, end: number): void {
  let digits = 0;
  let hex = true;
  let turns = 0;
  let before = false;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    const digit = isDigit(code);
    if (digit) digits += 1;
    else if (!isHexLetter(code)) hex = false;
    if (at > start && digit !== before) turns += 1;
    before = digit;
  }
  const chars = end - start;
  const address = isDigit(text.charCodeAt(start)) && text.charCodeAt(start + 1) === 120 && chars > 3;
  if (digits > 0 && ((hex && chars >= 4) || (turns >= 3 && chars >= 10) || address)) {
    hash.add(HASH);
    return;
  }
  let inNumber = false;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    const digit = isDigit(code);
    if (!digit) hash.add(code);
    else if (!inNumber) hash.add(HASH);
    inNumber = digit;
  }
}

/** Folders whose names are made up anew each time. */
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
  isSpace(code) || `"'\`()[]{}<>,;:|&`.includes(String.fromCharCode(code));
