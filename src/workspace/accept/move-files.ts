import { mkdirSync, renameSync, rmSync, rmdirSync, unlinkSync } from "node:fs";
import path from "node:path";
import { bytePath, bytesOf, onDisk, parentOf, type BytePath } from "../snapshot/byte-path.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import { isStirred, markAt, type Seen } from "./file-marks.ts";
import { isEntry, isObstructed, kindIn } from "../kind-at.ts";
import { contentLimitMs, LONG_LIMIT_MS, runGit } from "../git/run-git.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import type { HeldIndex } from "../git/user-index.ts";
import type { ShadowRepository } from "../git/shadow-repository.ts";

/** From where to where the user's branch goes: written down before anything is done. */
export interface Plan {
  readonly branch: string;
  readonly before: string;
  readonly after: string;
  readonly how: "fast_forward" | "merge";
  readonly files: readonly BytePath[];
  /** The tree that is on the branch; plans of before have none, and are of the project's own. */
  readonly tree?: string;
  /** Files that are as they were carried into the run's worktree, and the ref that holds them: see `replace-carried`. */
  readonly replaced?: { readonly ref: string; readonly work: string; readonly files: readonly BytePath[] };
}

export interface Move {
  readonly handle: SnapshotHandle;
  readonly repository: ShadowRepository;
  readonly key: string;
  readonly tree: string;
  readonly plan: Plan;
}

export type Index = { readonly gitDir: string; readonly tree: string; readonly index: string };
export type Entries = ReadonlyMap<BytePath, string>;

/** An index of our own that holds a commit. */
export async function indexOf({ handle, repository, key, tree }: Move, commit: string): Promise<Index> {
  const index = path.join(handle.store.folder, `take-in-${hashOf(`${key}/${commit}`)}.lock`);
  const call = { gitDir: repository.shadow, tree, index };
  await runGit({ ...call, args: ["read-tree", commit] });
  return call;
}

export interface Standing extends Seen {
  readonly at: "before" | "after" | "other";
  /** The same of its entry in the user's index. */
  readonly staged: "before" | "after" | "other";
  /** Its mode and content, in the tree and in the user's index; undefined where it is not there. */
  readonly now: string | undefined;
  readonly entry: string | undefined;
}

/** Which side each file of the plan is on: git reads them itself, by the tree's own rules for line ends. */
export async function standing(move: Move, held: HeldIndex): Promise<Standing[]> {
  const { plan, tree } = move;
  // Before they are read: what is written while they are read is found by its mark.
  const marks = new Map(plan.files.map((file) => [file, markAt(tree, file)]));
  const before = await entriesOf(await indexOf(move, plan.before), plan.files);
  const after = await entriesOf(await indexOf(move, plan.after), plan.files);
  const found = await indexOf(move, plan.before);
  await stage(found, plan.files);
  const now = await entriesOf(found, plan.files);
  const staged = await entriesOf({ ...found, index: held.copy }, plan.files);
  const side = (entries: Entries, file: BytePath): Standing["at"] => {
    const entry = entries.get(file);
    return entry === after.get(file) ? "after" : entry === before.get(file) ? "before" : "other";
  };
  const isBarred = isObstructed({ tree, files: plan.files, has: (file) => after.has(file) });
  return plan.files.map((file) => ({
    ...{ file, mark: marks.get(file) ?? "" },
    ...{ at: isBarred(file) ? "other" : side(now, file), staged: side(staged, file) },
    ...{ now: now.get(file), entry: staged.get(file) },
  }));
}

export async function entriesOf(call: Index, files: readonly BytePath[]): Promise<Entries> {
  const wanted = new Set(files);
  const { output } = await runGit({ ...call, args: ["ls-files", "--stage", "-z"] });
  const rows = bytePath(output).split("\0");
  return new Map(
    rows.flatMap((row): [string, string][] => {
      const [entry, file] = cutRow(row);
      return wanted.has(file) ? [[file, entry]] : [];
    }),
  );
}

/** A name may hold a tab itself. */
const cutRow = (row: string): readonly [string, BytePath] => {
  const tab = row.indexOf("\t");
  return [row.slice(0, Math.max(0, tab)), row.slice(tab + 1)];
};

/** Git reads the files itself, by the tree's own rules for line ends; what is not there is taken out. */
export async function stage(call: Index, files: readonly BytePath[]): Promise<void> {
  const there = files.filter((file) => isEntry(call.tree, file));
  const gone = files.filter((file) => !isEntry(call.tree, file));
  const given = (names: readonly BytePath[], ...args: string[]) =>
    runGit({
      ...{ ...call, args: ["update-index", ...args, "-z", "--stdin"] },
      ...{
        input: bytesOf(names.map((file) => `${file}\0`).join("")),
        limitMs: contentLimitMs(call.tree, names),
      },
    });
  // Git itself refuses a folder, and what lies beyond a file or a link, in the place of a file.
  if (gone.length > 0) await given(gone, "--force-remove");
  if (there.length > 0) await given(there, "--add", "--remove", "--replace");
}

const asideOf = ({ repository, key }: Move): string =>
  path.join(repository.gitDir, `holdfast-${hashOf(key).slice(0, 16)}`);

/** The user's own files that are replaced, by hard links, until all is done. */
export const ownOf = (move: Move): string => `${asideOf(move)}-own`;

export function clearOwn(move: Move): void {
  rmSync(ownOf(move), { recursive: true, force: true });
}

export interface Moved {
  /** What was replaced, made or removed, as it is now. */
  readonly done: readonly Seen[];
  /** What somebody has changed since it was seen: it stays, and nothing after it is moved. */
  readonly stirred: BytePath | null;
}

/**
 * Each of these becomes what the commit has; each appears whole. What is gone there goes, with empty folders. Nothing
 * is replaced that is not as it was seen.
 */
export async function writeFiles(move: Move, commit: string, files: readonly Seen[]): Promise<Moved> {
  const aside = asideOf(move);
  clearAside(move);
  try {
    mkdirSync(aside, { recursive: true });
    const call = await indexOf(move, commit);
    const names = files.map(({ file }) => file);
    const there = await entriesOf(call, names);
    const input = names.filter((file) => there.has(file)).map((file) => `${file}\0`);
    const args = ["checkout-index", "--force", "-z", "--stdin", `--prefix=${aside}/`];
    await runGit({ ...call, input: bytesOf(input.join("")), args, limitMs: LONG_LIMIT_MS });
    return moveEach(move, files, there);
  } finally {
    clearAside(move);
  }
}

function moveEach(move: Move, files: readonly Seen[], there: Entries): Moved {
  const { tree, handle } = move;
  const coming = (seen: Seen): boolean => there.has(seen.file);
  const done: Seen[] = [];
  for (const seen of [...files.filter((one) => !coming(one)), ...files.filter(coming)]) {
    const { file } = seen;
    if (isStirred(tree, seen)) return { done, stirred: file };
    if (coming(seen)) {
      makeParent(tree, file);
      renameSync(onDisk(asideOf(move), file), onDisk(tree, file));
    } else remove(tree, file);
    done.push({ file, mark: markAt(tree, file) });
    handle.world.crashPoint("workspace.take-in.write");
  }
  return { done, stirred: null };
}

/** Files that were made and not moved into the tree. */
export function clearAside(move: Move): void {
  rmSync(asideOf(move), { recursive: true, force: true });
}

export const makeParent = (tree: string, file: BytePath): void => {
  mkdirSync(onDisk(tree, parentOf(file)), { recursive: true });
};

/** A folder stands where the other side has a file of that name: it goes with the last of its own files. */
export function remove(tree: string, file: BytePath): void {
  if (kindIn(tree, file) === "file") unlinkSync(onDisk(tree, file));
  for (let folder = parentOf(file); folder !== ""; folder = parentOf(folder)) {
    try {
      rmdirSync(onDisk(tree, folder));
    } catch {
      // It holds something else.
      return;
    }
  }
}

/** In the copy of the user's index these files become what the commit has; all others stay as they are. */
export async function stageIn(move: Move, held: HeldIndex, files: readonly BytePath[]): Promise<void> {
  const { plan, repository, tree } = move;
  const call = { gitDir: repository.shadow, tree, index: held.copy };
  const after = await entriesOf(await indexOf(move, plan.after), files);
  const none = `0 ${"0".repeat(plan.after.length)}`;
  const gone = files.filter((file) => !after.has(file)).map((file) => `${none}\t${file}\0`);
  const there = files.flatMap((file) => {
    const entry = after.get(file);
    return entry === undefined ? [] : [`${entry}\t${file}\0`];
  });
  const args = ["update-index", "--add", "--replace", "-z", "--index-info"];
  await runGit({ ...call, input: bytesOf([...gone, ...there].join("")), args });
}

/** So that git need not read the files again; what differs from the index stays noted as such. */
export async function refresh({ repository, tree }: Move, held: HeldIndex): Promise<void> {
  const call = { gitDir: repository.shadow, tree, index: held.copy };
  await runGit({ ...call, args: ["update-index", "-q", "--refresh"], answers: [1], limitMs: LONG_LIMIT_MS });
}
