/** Stands for a text when texts are compared: equal texts have equal keys, and keys are short. */
export interface TextKeys {
  /** Equal for equal texts only. */
  readonly exact: string;
  /** Equal also where texts differ only in numbers, times, hexadecimal words, ids, temporary paths and spacing. */
  readonly alike: string;
}

const HASH = 35;
const SPACE = 32;
const SLASH = 47;

/** A text longer than this is compared by its ends; a result of megabytes must not hold up everybody else. */
const COMPARED_CHARS_MAX = 65_536;

const OTHER = 0;
const BLANK = 1;
const DIGIT = 2;
const HEX_LETTER = 3;
const LETTER = 4;

/** What each sign of ASCII is; looked up, because it is asked for every character. */
const CLASSES = Uint8Array.from({ length: 128 }, (_none, code) => {
  if (code === SPACE || (code >= 9 && code <= 13)) return BLANK;
  if (code >= 48 && code <= 57) return DIGIT;
  if ((code >= 97 && code <= 102) || (code >= 65 && code <= 70)) return HEX_LETTER;
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) ? LETTER : OTHER;
});
const classOf = (code: number): number =>
  code < 128 ? (CLASSES[code] ?? OTHER) : code === 0xa0 ? BLANK : OTHER;

const FIRST = 2_654_435_761;
const SECOND = 1_597_334_677;

/** Each in one pass over the text, without building another one. */
export const textKeys = (whole: string): TextKeys => ({ exact: exactKey(whole), alike: alikeKey(whole) });

export function exactKey(whole: string): string {
  const text = compared(whole);
  let high = 0x9e3779b1;
  let low = 0x85ebca77;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, FIRST);
    low = Math.imul(low ^ code, SECOND);
  }
  return keyOf(high, low ^ whole.length);
}

/** A run of digits counts as one mark; a word that can only be an id or an address does as a whole. */
export function alikeKey(whole: string): string {
  const text = compared(whole);
  const { length } = text;
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  let before = BLANK;
  for (let at = 0; at < length;) {
    const code = text.charCodeAt(at);
    const kind = classOf(code);
    if (kind >= DIGIT) {
      const start = at;
      const highBefore = high;
      const lowBefore = low;
      let digits = 0;
      let turns = 0;
      let hex = true;
      let last = 0;
      for (; at < length; at += 1) {
        const char = text.charCodeAt(at);
        const sign = classOf(char);
        if (sign < DIGIT) break;
        const isDigit = sign === DIGIT;
        if (last !== 0 && isDigit !== (last === DIGIT)) turns += 1;
        if (isDigit) digits += 1;
        else if (sign === LETTER) hex = false;
        if (!isDigit || last !== DIGIT) {
          const added = isDigit ? HASH : char;
          high = Math.imul(high ^ added, FIRST);
          low = Math.imul(low ^ added, SECOND);
        }
        last = sign;
      }
      if (digits > 0 && isId({ chars: at - start, turns, hex, address: isAddress(text, start) })) {
        high = Math.imul(highBefore ^ HASH, FIRST);
        low = Math.imul(lowBefore ^ HASH, SECOND);
      }
    } else {
      const temporary = code === SLASH && startsTemporary(text, at);
      const added = temporary ? HASH : kind === BLANK ? SPACE : code;
      if (kind !== BLANK || before !== BLANK) {
        high = Math.imul(high ^ added, FIRST);
        low = Math.imul(low ^ added, SECOND);
      }
      at = temporary ? pathEnd(text, at, length) : at + 1;
    }
    before = kind;
  }
  return keyOf(high, low);
}

const compared = (whole: string): string =>
  whole.length <= COMPARED_CHARS_MAX
    ? whole
    : whole.slice(0, COMPARED_CHARS_MAX / 2) + whole.slice(-COMPARED_CHARS_MAX / 2);

interface Word {
  readonly chars: number;
  /** How often letters and digits take turns in it. */
  readonly turns: number;
  readonly hex: boolean;
  readonly address: boolean;
}

const isId = ({ chars, turns, hex, address }: Word): boolean =>
  (hex && chars >= 4) || (turns >= 3 && chars >= 10) || (address && chars > 3);

/** `0x…` */
const isAddress = (text: string, start: number): boolean =>
  text.charCodeAt(start) === 48 && text.charCodeAt(start + 1) === 120;

/** Fifty-three bits, well mixed, in base 36. */
function keyOf(high: number, low: number): string {
  let one = Math.imul(high ^ (high >>> 16), 2_246_822_507);
  one ^= Math.imul(low ^ (low >>> 13), 3_266_489_909);
  let two = Math.imul(low ^ (low >>> 16), 2_246_822_507);
  two ^= Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & two) + (one >>> 0)).toString(36);
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
  classOf(code) === BLANK || `"'\`()[]{}<>,;:|&`.includes(String.fromCharCode(code));
