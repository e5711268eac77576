import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import path from "node:path";
import { readPlainLater } from "../../files/plain-file.ts";
import { userHome } from "../../files/user-home.ts";
import type { GuardReport, TrustedEntry } from "../../model/flow/protected.ts";
import { protectedRules, type ProtectedRules } from "./protected-rules.ts";
import { inTree, textOfPath } from "../snapshot/tree-path.ts";

/** Keys of git's configuration that name a program to be run, or another file to be read as configuration. */
const EXECUTED =
  /^(core\.(fsmonitor|hookspath|sshcommand|editor|pager|askpass|gitproxy|attributesfile|worktree|alternaterefscommand)|include\..*|includeif\..*|filter\..*|diff\..*\.(command|textconv)|diff\.external|merge\..*\.driver|credential\..*|gpg\..*|alias\..*|pager\..*|sequence\.editor|uploadpack\..*|receive\..*|remote\..*\.(uploadpack|receivepack|vcs)|protocol\..*|url\..*|http\..*|ssh\..*|browser\..*|man\..*|difftool\..*|mergetool\..*|gc\..*command|trailer\..*|submodule\..*\.update|extensions\..*|interactive\.difffilter|init\.templatedir|web\.browser|help\.browser|commit\.template|user\.signingkey)$/;

/**
 * The lines of a git configuration that have something executed, in a form that can be compared. Branches and remotes
 * that are added by everyday commands are not among them. What cannot be read as configuration counts whole.
 */
function executedGitConfig(text: string): string {
  const found: string[] = [];
  let section = "";
  for (const line of text.replaceAll(/\\\r?\n/g, " ").split(/\r?\n/)) {
    const plain = line.trim();
    if (plain === "" || plain.startsWith("#") || plain.startsWith(";")) continue;
    const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(plain);
    if (header !== null) {
      section = header[2] === undefined ? (header[1] ?? "") : `${header[1] ?? ""}.${header[2]}`;
      if ((header[3] ?? "").trim() === "") continue;
    }
    const setting = header === null ? plain : (header[3] ?? "").trim();
    const [, key] = /^([\w-]+)/.exec(setting) ?? [];
    if (section === "" || key === undefined) found.push(plain);
    else if (EXECUTED.test(`${section}.${key}`.toLowerCase())) found.push(`${section}.${setting}`);
  }
  return found.join("\n");
}

/** More than this is not protected, and said so (I7). */
export const ENTRIES_MAX = 2_000;
export const FILE_BYTES_MAX = 8 * 1_024 * 1_024;
/** Stands for the digest of a file that is too large to be kept, or cannot be read. */
export const UNREAD = "unread";
const LOOKED_AT_MAX = 100_000;
/** Never looked into for a rule such as `**\/RULES.md`: large, and nobody's rules. */
const SKIPPED = new Set(["node_modules", ".git"]);
const GIT_CONFIGS = new Set([".git/config", ".git/config.worktree"]);

export interface Scan {
  /** By path as bytes. */
  readonly entries: ReadonlyMap<string, TrustedEntry>;
  readonly limit: GuardReport["limit"];
}

/** Everything in a tree that the rules cover, as it is now. Links are never followed. */
export async function scanProtected(tree: string, rules: readonly string[]): Promise<Scan> {
  const walk = new Walk(tree, protectedRules(rules.map((rule) => Buffer.from(rule).toString("latin1"))));
  await walk.all();
  return { entries: new Map([...walk.entries].sort(([a], [b]) => (a < b ? -1 : 1))), limit: walk.limit };
}

/** In a person's home lie the agents' own sessions and credentials: there only what a project's rules name is meant. */
export const rulesFor = (tree: string, rules: readonly string[]): string[] =>
  isHome(path.resolve(tree)) ? rules.filter((rule) => !/^!?\.[\w-]+\/\*\*$/.test(rule)) : [...rules];

const isHome = (folder: string): boolean => folder === userHome(process.env);

class Walk {
  readonly entries = new Map<string, TrustedEntry>();
  limit: GuardReport["limit"];
  readonly #tree: string;
  readonly #rules: ProtectedRules;
  readonly #seen = new Set<string>();

  constructor(tree: string, rules: ProtectedRules) {
    this.#tree = tree;
    this.#rules = rules;
  }

  async all(): Promise<void> {
    for (const start of this.#rules.starts) if (await this.#leadsTo(start)) await this.#see(start);
  }

  /** A path that goes through a link, or through something that is no folder, leads to nothing in this tree. */
  async #leadsTo(start: string): Promise<boolean> {
    const names = start.split("/");
    for (let depth = 1; depth < names.length; depth += 1) {
      const found = await lstatIfThere(inTree(this.#tree, names.slice(0, depth).join("/")));
      if (found?.isDirectory() !== true) return false;
    }
    return true;
  }

  async #see(at: string): Promise<void> {
    if (this.#seen.has(at) || this.limit !== undefined) return;
    this.#seen.add(at);
    if (this.#seen.size > LOOKED_AT_MAX) return this.#reach("paths looked at", LOOKED_AT_MAX, at);
    const found = at === "" ? undefined : await lstatIfThere(inTree(this.#tree, at));
    if (at !== "" && found === undefined) return;
    if (found !== undefined && this.#rules.covers(at)) await this.#note(at, found);
    if ((found === undefined || found.isDirectory()) && this.#rules.reachesInto(at)) await this.#into(at);
  }

  async #into(folder: string): Promise<void> {
    let names: Buffer[];
    try {
      names = await readdir(inTree(this.#tree, folder), { encoding: "buffer" });
    } catch (error) {
      // Locked by its mode, which differs then; once that is undone it is looked into again.
      if (isAbsence(error) || isLocked(error)) return;
      throw error;
    }
    // In an order of its own: what a bound leaves out is the same each time.
    for (const name of names.sort((a, b) => a.compare(b))) {
      const text = name.toString("latin1");
      const at = folder === "" ? text : `${folder}/${text}`;
      if (!SKIPPED.has(text) || this.#rules.starts.includes(at)) await this.#see(at);
    }
  }

  async #note(at: string, found: BigIntStats): Promise<void> {
    if (this.entries.size >= ENTRIES_MAX) return this.#reach("protected paths", ENTRIES_MAX, at);
    this.entries.set(at, await entryOf(this.#tree, at, found));
  }

  #reach(what: string, bound: number, at: string): void {
    this.limit ??= { what, bound, detail: `${textOfPath(at)} and what follows it is not protected` };
  }
}

export async function lstatIfThere(file: Buffer): Promise<BigIntStats | undefined> {
  try {
    return await lstat(file, { bigint: true });
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
const isAbsence = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "");
const isLocked = (error: unknown): boolean => ["EACCES", "EPERM"].includes(codeOf(error) ?? "");

async function entryOf(tree: string, at: string, found: BigIntStats): Promise<TrustedEntry> {
  const mode = Number(found.mode & 0o7777n);
  const named = { path: textOfPath(at), mode };
  if (found.isDirectory()) return { ...named, kind: "folder" };
  const file = inTree(tree, at);
  if (found.isSymbolicLink())
    return { ...named, mode: 0o777, kind: "link", digest: digestOf(await readlink(file, "buffer")) };
  const read = found.isFile() ? await readOnce(file) : undefined;
  // A pipe, a device, or too much: it equals no file that was read.
  const digest = read === undefined ? UNREAD : digestOf(comparedBytes(at, read));
  const stamp = `${String(found.ino)}:${String(found.ctimeNs)}`;
  const written = GIT_CONFIGS.has(at) ? {} : { stamp };
  return { ...named, kind: "file", digest, names: Number(found.nlink), ...written };
}

export const digestOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** Of git's configuration only what is executed is compared. */
export const comparedBytes = (at: string, bytes: Buffer): Buffer =>
  GIT_CONFIGS.has(at) ? Buffer.from(executedGitConfig(bytes.toString("latin1")), "latin1") : bytes;

/** Not through a link, and without waiting for the other end of a pipe; undefined where it cannot be read. */
export async function readOnce(file: Buffer): Promise<Buffer | undefined> {
  const read = await readPlainLater(file, { bytesMax: FILE_BYTES_MAX });
  // No matter what keeps it from being read, it does not read as trusted.
  return read.kind === "read" ? read.bytes : undefined;
}
