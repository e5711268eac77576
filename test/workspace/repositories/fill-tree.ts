import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Names in many encodings, and such as programs stumble over. */
const NAMES: readonly Buffer[] = [
  ...["plain", "with space", "-dash", "line\nbreak", 'quo"te', "ünï", "日本", "a".repeat(200), ".hidden"],
  ...[
    "tab\t",
    "back\\slash",
    "*?[",
    "cafe\u0301",
    "café",
    "🪢",
    "\u202egnp",
    "%2e",
    "~",
    " ",
    "ß".repeat(127),
  ],
].map((name) => Buffer.from(name));
/**
 * No UTF-8: Latin-1, Shift JIS, GB 18030, KOI8-R, a broken sequence, control bytes, a surrogate in three bytes, EUC-JP,
 * Big5, EUC-KR, Windows-1251, ISO-2022-JP, UTF-16 without its zeros, a byte order mark alone, a NUL in two bytes.
 */
const BYTES: readonly (readonly number[])[] = [
  [0x6c, 0xe9, 0x74],
  [0x93, 0xfa, 0x96, 0x7b],
  [0xd6, 0xd0, 0x81, 0x30, 0x81, 0x30],
  [0xcd, 0xc9, 0xd2],
  [0xc3, 0x28],
  [0x01, 0x7f],
  [0xed, 0xa0, 0x80],
  [0xc6, 0xfc, 0xcb, 0xdc],
  [0xa4, 0xe9, 0xa5, 0xbb],
  [0xc7, 0xd1, 0xb1, 0xdb],
  [0xf4, 0xe0, 0xe9, 0xeb],
  [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42],
  [0xff, 0xfe, 0xe5, 0x65],
  [0xef, 0xbb, 0xbf],
  [0xc0, 0x80],
];
/** How the folder of the user's own tree is called. */
export const PLACES: readonly string[] = [
  "p",
  "p",
  "p",
  "with space",
  "ünï 日本",
  "quo\"te's",
  "[x] *",
  "-dash",
];

export const put = (folder: string, name: Buffer | string, text: string): void =>
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name as string)]), text);

/** Files in folders, and at the top about half of the odd names. */
export function fill(project: string, chance: () => number, count: number): void {
  for (let n = 0; n < count; n += 1) {
    const folder = path.join(project, `d${String(n % 7)}`);
    mkdirSync(folder, { recursive: true });
    put(folder, `f${String(n)}`, `${String(n)}\n`.repeat(1 + Math.floor(chance() * 20)));
  }
  for (const name of [...NAMES, ...BYTES.map((bytes) => Buffer.from(bytes))])
    if (chance() < 0.5) put(project, name, `${name.toString("hex")}\n`);
  writeFileSync(path.join(project, "program"), "#!/bin/sh\n");
  chmodSync(path.join(project, "program"), 0o755);
  symlinkSync("program", path.join(project, "link"));
}
