import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { plainGit } from "./plain-git.ts";

/** Numbers in [0, 1) that follow from a seed (mulberry32). */
export function chanceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Chance = () => number;
const among = <T>(chance: Chance, values: readonly T[]): T =>
  values[Math.floor(chance() * values.length)] as T;
const upTo = (chance: Chance, most: number): number => Math.floor(chance() * (most + 1));

const NAMES = [
  "a", "b", "A", "B", "readme.md", "README.md", "two words", " lead", "trail ", "new\nline", "tab\tname",
  "quote\"d", "back\\slash", "-dash", "--", ":(glob)x", "*", "%41", ".hidden", "ünïcode", "日本", "e\u0301", "é",
  ".gitignore-not", ".github", ".gitattributes-not", "git~1", "a\\.git", ".git.", ".gitx", "con", "x".repeat(200),
  "$(touch canary)", "`touch canary`", "a;b", "#{x}", "!bang", "~", "%", "CON.txt",
]; // prettier-ignore
const INVALID = ["bad\xff", "\xc3\x28", "\xfe\xfe"];
const MODES = [0o644, 0o644, 0o644, 0o755, 0o600, 0o664, 0o700, 0o444, 0o640, 0o4755, 0o777, 0o400];
const FOLDER_MODES = [0o755, 0o755, 0o755, 0o700, 0o775, 0o1777, 0o2755];
const IGNORED = ["*.log", "build/", "/b", "!keep.log", "tmp", "**/cache/"];

export interface GeneratedTree {
  readonly tree: string;
  readonly chance: Chance;
}

const nameBytes = (name: string): Buffer =>
  INVALID.includes(name) ? Buffer.from(name, "latin1") : Buffer.from(name);

const inside = (folder: Buffer, name: string): Buffer =>
  Buffer.concat([folder, Buffer.from("/"), nameBytes(name)]);

/** A tree that no sane person would make, the same for the same seed. */
export function generateTree(tree: string, seed: number): GeneratedTree {
  const chance = chanceOf(seed);
  mkdirSync(tree, { recursive: true });
  if (chance() < 0.7) plainGit(tree, ["init", "-q", "-b", "main"]);
  fill(chance, Buffer.from(tree), 0);
  if (chance() < 0.5)
    writeFileSync(path.join(tree, ".gitignore"), IGNORED.filter(() => chance() < 0.4).join("\n"));
  if (chance() < 0.3)
    writeFileSync(
      path.join(tree, ".gitattributes"),
      "* text=auto eol=crlf ident\n*.md filter=evil diff=evil\n",
    );
  if (chance() < 0.15)
    rmQuietly(path.join(tree, ".gitmodules"), () => symlinkSync("a", path.join(tree, ".gitmodules")));
  if (chance() < 0.15)
    rmQuietly(path.join(tree, ".gitmodules"), () =>
      writeFileSync(path.join(tree, ".gitmodules"), `[submodule "x"]\n\tpath = -x\n\turl = -evil\n`),
    );
  return { tree, chance };
}

function rmQuietly(file: string, then: () => void): void {
  rmSync(file, { force: true, recursive: true });
  then();
}

function fill(chance: Chance, folder: Buffer, depth: number): void {
  for (let left = upTo(chance, 8 - depth); left > 0; left -= 1) addSomething(chance, folder, depth);
}

function addSomething(chance: Chance, folder: Buffer, depth: number): void {
  const at = inside(folder, chance() < 0.06 ? among(chance, INVALID) : among(chance, NAMES));
  if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) return;
  const what = chance();
  if (what < 0.6) addFile(chance, at);
  else if (what < 0.7) symlinkSync(among(chance, ["a", "../..", "/etc/passwd", "missing", "\xff", "."]), at);
  else if (depth < 4) {
    mkdirSync(at);
    if (chance() < 0.12) nestRepository(chance, at);
    fill(chance, at, depth + 1);
    chmodSync(at, among(chance, FOLDER_MODES));
  }
}

function addFile(chance: Chance, file: Buffer): void {
  writeFileSync(file, content(chance));
  chmodSync(file, among(chance, MODES));
  // An old file is one that a cache may trust.
  if (chance() < 0.5) utimesSync(file, 1_600_000_000, 1_600_000_000);
}

function content(chance: Chance): Buffer {
  const kind = chance();
  if (kind < 0.1) return Buffer.alloc(0);
  if (kind < 0.3) return Buffer.from("one\r\ntwo\r\n$Id$\r\n".repeat(upTo(chance, 5)));
  if (kind < 0.33) return Buffer.alloc(300_000 + upTo(chance, 100_000), upTo(chance, 255));
  if (kind < 0.5) return Buffer.from(Array.from({ length: upTo(chance, 300) }, () => upTo(chance, 255)));
  return Buffer.from(`line ${String(upTo(chance, 1_000))}\n`.repeat(upTo(chance, 20)));
}

/** With or without a commit, or only something called so. */
function nestRepository(chance: Chance, at: Buffer): void {
  const folder = at.toString("utf8");
  if (!existsSync(folder)) return;
  const kind = chance();
  if (kind < 0.25) {
    writeFileSync(path.join(folder, ".git"), "gitdir: /nowhere\n");
    return;
  }
  plainGit(folder, ["init", "-q", "-b", "main"]);
  if (kind < 0.6) return;
  writeFileSync(path.join(folder, "inner.txt"), "inner\n");
  plainGit(folder, ["add", "inner.txt"]);
  plainGit(folder, ["commit", "-q", "-m", "inner"]);
}

/** Some of what an agent may do to a tree. */
export function changeTree({ tree, chance }: GeneratedTree): void {
  for (let left = 1 + upTo(chance, 6); left > 0; left -= 1) {
    const folders = allFolders(Buffer.from(tree));
    const folder = among(chance, folders);
    const names = readdirSync(folder, { encoding: "buffer" }).filter(
      (name) => !/^\.git$/i.test(name.toString()),
    );
    const what = chance();
    if (names.length === 0 || what < 0.4) addSomething(chance, folder, 2);
    else changeOne(chance, Buffer.concat([folder, Buffer.from("/"), among(chance, names)]));
  }
}

function changeOne(chance: Chance, at: Buffer): void {
  const stat = lstatSync(at);
  const what = chance();
  if (what < 0.25) rmSync(at, { recursive: true, force: true });
  else if (what < 0.4) {
    rmSync(at, { recursive: true, force: true });
    addSomething(chance, at.subarray(0, at.lastIndexOf(47)), 2);
  } else if (stat.isFile() && what < 0.8) writeFileSync(at, content(chance));
  else if (stat.isFile()) chmodSync(at, among(chance, MODES));
  else if (stat.isDirectory()) chmodSync(at, among(chance, FOLDER_MODES));
}

function allFolders(folder: Buffer): Buffer[] {
  return [
    folder,
    ...readdirSync(folder, { encoding: "buffer", withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^\.git$/i.test(entry.name.toString()))
      .flatMap((entry) => allFolders(Buffer.concat([folder, Buffer.from("/"), entry.name]))),
  ];
}
