/** What has made terminals do things: titles, clipboards, links, reports, moved cursors, hidden and reordered text. */
const OSC = [
  "0;t",
  "1;t",
  "2;t",
  "4;1;?",
  "7;file:///",
  "8;;http://evil.test",
  "9;n",
  "10;?",
  "11;?",
  "50;x",
  "52;c;ZXZpbA==",
  "104",
  "133;A",
  "777;notify;a;b",
  "1337;File=:QQ==",
];
const CSI = [
  "2J",
  "3J",
  "H",
  "1;1H",
  "1A",
  "99B",
  "2K",
  "6n",
  "5n",
  "c",
  ">c",
  "=c",
  "21t",
  "18t",
  "8;1;1t",
  "?1049h",
  "?25l",
  "?1000h",
  "?1004h",
  "?2004l",
  "!p",
  "4h",
  "20h",
  "31m",
  "8m",
  "s",
  "u",
  "1;2r",
  "?6n",
  "201~",
];
const SHORT = ["c", "7", "8", "#8", "(0", "%G", "N", "O", "=", ">", "M", "D", "E", "Z", "l"];
const STRINGS = ["P", "_", "^", "X"];
const INVISIBLE = [
  0xad, 0x34f, 0x61c, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c,
  0x202d, 0x202e, 0x2060, 0x2061, 0x2062, 0x2066, 0x2067, 0x2068, 0x2069, 0x206a, 0x3164, 0xfeff, 0xfff9,
  0xe0001, 0xe0041,
];

const esc = "\u001b";
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

export const SEQUENCES: readonly string[] = [
  ...OSC.flatMap((text) => [`${esc}]${text}\u0007`, `${esc}]${text}${esc}\\`]),
  ...OSC.slice(0, 4).map((text) => `\u009d${text}\u009c`),
  ...CSI.map((text) => `${esc}[${text}`),
  ...CSI.slice(0, 8).map((text) => `\u009b${text}`),
  ...SHORT.map((text) => `${esc}${text}`),
  ...STRINGS.flatMap((kind) => [`${esc}${kind}q\u0007`, `${esc}${kind}$qm${esc}\\`]),
  ...range(0x80, 0x9f).map((code) => String.fromCharCode(code)),
  ...[1, 5, 7, 8, 11, 12, 14, 15, 17, 19, 24, 26, 27, 127].map((code) => String.fromCharCode(code)),
  ...INVISIBLE.map((code) => String.fromCodePoint(code)),
];

/** Every sequence with a mark after it, by which it is known again wherever it is printed. */
export const marked = (sequences: readonly string[]): string[] =>
  sequences.map((sequence, at) => `a${sequence}<${String(at)}>`);
