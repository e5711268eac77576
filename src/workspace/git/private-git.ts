/**
 * A git directory of an attempt's own, for an agent that can see the user's repository and not change it.
 *
 * On disk: FOLDER is the directory, made aside and renamed into place, so that it is whole; FOLDER.base.json says from
 * which branch and commit it began, and only Holdfast can write it. After the attempt `fetchPrivateGit` brings commits
 * over, in steps that may all be repeated: objects into the user's repository (harmless by themselves), the branch (only
 * from the commit it began at, only forward), the index, while its lock is ours; then FOLDER is removed, and then its
 * record: there is nothing left to do. Dying between any two leaves the record, and the next fetch does the rest.
 *
 * 1. FOLDER is written by the agent: it is read as data. No configuration, hook or alternate of it is obeyed.
 * 2. Each object is hashed again on its way over.
 * 3. Commits that the branch cannot go forward to (somebody else has moved it, or history was rewritten) are kept under
 *    a hidden ref. The files themselves are in the workspace in any case.
 */
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { plainTextIfAny, readPlain, RECORD_BYTES_MAX } from "../../files/plain-file.ts";
import { Fault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import { LONG_LIMIT_MS, runGit } from "./run-git.ts";
import { holdIndex } from "./user-index.ts";
import { findRepository, readHead, resolveRef, type UserRepository } from "./user-repository.ts";
import { shadowRepository, type ShadowRepository } from "./shadow-repository.ts";
import { homePath } from "../../files/user-home.ts";

interface PrivateGitPlace {
  /** Where it is made. */
  readonly folder: string;
  /** A folder of Holdfast's own for what it sees the user's repository through. */
  readonly shadows: string;
  readonly world: World;
}

interface PrivateGitOrder extends PrivateGitPlace {
  readonly tree: string;
}

/** How a sandbox shows it. */
interface PrivateGit {
  /** Where the agent finds its git directory. */
  readonly at: string;
  /** The user's objects, by the place at which they are shown. */
  readonly objects: Readonly<Record<string, string>>;
  /** The file that leads a worktree to its git directory; null where that is a folder. */
  readonly pointer: string | null;
}

/** Where the user's objects are shown, so that they are not looked for in the directory that takes their place. */
const OBJECTS_SHOWN = "/run/holdfast/objects";

interface Base {
  readonly tree: string;
  readonly branch: string;
  readonly commit: string | null;
}

/** Makes it where there is none; null where the tree is no repository, or none that can be seen in this way. */
export async function preparePrivateGit(order: PrivateGitOrder): Promise<PrivateGit | null> {
  const { tree, folder } = order;
  const repository = findRepository(tree);
  const head = readHead(tree);
  if (repository === null || head.kind !== "git" || head.branch === null) return null;
  const shown = showing(tree, repository);
  if (existsSync(folder)) return shown;
  const shadowed = shadowRepository(shadowsOf(order), tree);
  const aside = `${folder}.begun`;
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(path.join(aside, "objects/info"), { recursive: true, mode: 0o700 });
  for (const name of ["refs/heads", "refs/tags", "info"])
    mkdirSync(path.join(aside, name), { recursive: true });
  const refs = await runGit({
    gitDir: shadowed.shadow,
    args: ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags", "refs/remotes"],
  });
  writeFileSync(path.join(aside, "packed-refs"), refs.output);
  writeFileSync(path.join(aside, "objects/info/alternates"), `${OBJECTS_SHOWN}\n`);
  writeFileSync(path.join(aside, "HEAD"), `ref: refs/heads/${head.branch}\n`);
  writeFileSync(path.join(aside, "config"), configOf(repository));
  for (const [from, name] of copied(repository)) {
    const read = readPlain(from, { bytesMax: INDEX_BYTES_MAX });
    if (read.kind === "read") writeFileSync(path.join(aside, name), read.bytes);
  }
  const base: Base = { tree, branch: head.branch, commit: head.commit };
  writeFileSync(`${folder}.base.json`, JSON.stringify(base), { mode: 0o600 });
  order.world.crashPoint("sandbox.git.recorded");
  renameSync(aside, folder);
  order.world.crashPoint("sandbox.git.made");
  return shown;
}

const INDEX_BYTES_MAX = 512 * 1024 * 1024;

const copied = ({ gitDir, commonDir }: UserRepository): readonly (readonly [string, string])[] => [
  [path.join(gitDir, "index"), "index"],
  [path.join(commonDir, "shallow"), "shallow"],
  [path.join(commonDir, "info/exclude"), "info/exclude"],
];

function showing(tree: string, { gitDir, commonDir }: UserRepository): PrivateGit {
  const objects = path.join(commonDir, "objects");
  const further = (
    plainTextIfAny(path.join(objects, "info/alternates"), { bytesMax: RECORD_BYTES_MAX }) ?? ""
  )
    .split("\n")
    .filter((line) => path.isAbsolute(line) && existsSync(line));
  const pointer = path.join(tree, ".git");
  return {
    at: gitDir,
    objects: { [OBJECTS_SHOWN]: objects, ...Object.fromEntries(further.map((place) => [place, place])) },
    pointer: lstatSync(pointer).isDirectory() ? null : pointer,
  };
}

/** Its own, with the layout of the repository and the person's name; remotes may hold passwords and stay away. */
function configOf({ commonDir }: UserRepository): string {
  const own = plainTextIfAny(path.join(commonDir, "config"), { bytesMax: RECORD_BYTES_MAX }) ?? "";
  const sha256 = /^[ \t]*objectformat[ \t]*=[ \t]*sha256/im.test(own);
  const home = homePath(process.env);
  const texts = [
    own,
    ...[".gitconfig", ".config/git/config"].map((name) => plainUser(path.join(home, name))),
  ];
  const user = ["name", "email"].flatMap((key) => {
    const value = texts.map((text) => userSetting(text, key)).find((one) => one !== undefined);
    return value === undefined ? [] : [`\t${key} = ${JSON.stringify(value)}`];
  });
  return [
    "[core]",
    `\trepositoryformatversion = ${sha256 ? "1" : "0"}`,
    "\tbare = false",
    "\tlogallrefupdates = true",
    ...(sha256 ? ["[extensions]", "\tobjectformat = sha256"] : []),
    ...(user.length === 0 ? [] : ["[user]", ...user]),
    "",
  ].join("\n");
}

const plainUser = (file: string): string =>
  plainTextIfAny(file, { bytesMax: RECORD_BYTES_MAX, links: "follow" }) ?? "";

function userSetting(text: string, key: string): string | undefined {
  let section = "";
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line.startsWith("[")) section = line.toLowerCase();
    const at = line.indexOf("=");
    if (section === "[user]" && at > 0 && line.slice(0, at).trim().toLowerCase() === key)
      return line
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/, "$1");
  }
  return undefined;
}

/**
 * Brings over what was committed there. May be repeated, and does nothing where there is nothing to bring. Answers the
 * hidden ref under which commits are kept that the branch cannot go forward to; null where there are none.
 */
export async function fetchPrivateGit(place: PrivateGitPlace): Promise<string | null> {
  const { folder, world } = place;
  const base = readBase(folder);
  if (base === null) return null;
  const commit = existsSync(folder) && findRepository(base.tree) !== null ? commitIn(folder, base) : null;
  const kept =
    commit === null
      ? null
      : await bring(shadowRepository(shadowsOf(place), base.tree), { ...place, base, commit });
  world.crashPoint("sandbox.git.brought");
  rmSync(folder, { recursive: true, force: true });
  world.crashPoint("sandbox.git.removed");
  rmSync(`${folder}.base.json`, { force: true });
  return kept;
}

function readBase(folder: string): Base | null {
  const text = plainTextIfAny(`${folder}.base.json`, { bytesMax: RECORD_BYTES_MAX });
  return text === undefined ? null : (JSON.parse(text) as Base);
}

/** Where the branch stands there; null where it is as before, or its objects lie elsewhere than they should. */
function commitIn(folder: string, { branch, commit }: Base): string | null {
  const isFolder = (name: string): boolean =>
    lstatSync(path.join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true;
  if (!["objects", "objects/info"].every(isFolder)) return null;
  rmSync(path.join(folder, "objects/info/alternates"), { force: true });
  const now = resolveRef({ gitDir: folder, commonDir: folder }, `refs/heads/${branch}`);
  return now === commit ? null : now;
}

interface Brought extends PrivateGitPlace {
  readonly base: Base;
  readonly commit: string;
}

async function bring(repository: ShadowRepository, brought: Brought): Promise<string | null> {
  const { base, commit, folder, world } = brought;
  const gitDir = repository.shadow;
  await bringObjects(gitDir, brought);
  world.crashPoint("sandbox.git.objects");
  const ref = `refs/heads/${base.branch}`;
  const now = resolveRef(repository, ref);
  const isForward =
    base.commit === null ||
    (await runGit({ gitDir, args: ["merge-base", "--is-ancestor", base.commit, commit], answers: [1] }))
      .code === 0;
  if (now === base.commit && isForward) {
    const before = base.commit ?? "0".repeat(commit.length);
    await runGit({ gitDir, args: ["update-ref", ref, commit, before] });
    world.crashPoint("sandbox.git.moved");
  } else if (now !== commit) {
    const kept = `refs/holdfast/sandbox/${path.basename(path.dirname(folder))}`;
    await runGit({ gitDir, args: ["update-ref", kept, commit] });
    return kept;
  }
  await bringIndex(repository, brought);
  return null;
}

async function bringObjects(gitDir: string, { folder, base, commit }: Brought): Promise<void> {
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(folder, "objects") };
  const wanted = base.commit === null ? `${commit}\n` : `${commit}\n^${base.commit}\n`;
  const long = { limitMs: LONG_LIMIT_MS };
  const args = ["pack-objects", "--revs", "--stdout", "-q"];
  const pack = await runGit({ gitDir, env, input: wanted, args, ...long });
  await runGit({ gitDir, input: pack.output, args: ["index-pack", "--stdin", "--strict"], ...long });
}

/** The index follows the branch, as git itself would do it: what the user has staged elsewhere stays staged. */
async function bringIndex(repository: ShadowRepository, brought: Brought): Promise<void> {
  const { shadows, world, base, commit } = brought;
  const held = await holdIndex({ store: { folder: shadows }, world }, repository);
  if ("locked" in held)
    throw new Fault(
      "refused",
      `${held.locked} is held by another git; expected it to be released: end that git, or remove the lock if none runs`,
      { retry: "later" },
    );
  try {
    const read = (args: readonly string[], answers: readonly number[]) =>
      runGit({ gitDir: repository.shadow, index: held.copy, tree: base.tree, args, answers });
    const from = base.commit === null ? null : [base.commit, commit];
    const merged = from === null ? null : await read(["read-tree", "-m", "-i", ...from], [128]);
    if (merged?.code !== 0) await read(["read-tree", "--reset", commit], []);
    held.replace();
    world.crashPoint("sandbox.git.staged");
  } finally {
    held.release();
  }
}

function shadowsOf({ shadows }: PrivateGitPlace): string {
  mkdirSync(shadows, { recursive: true, mode: 0o700 });
  return shadows;
}
