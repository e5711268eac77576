import { lstatSync, mkdirSync, renameSync, rmSync, rmdirSync, unlinkSync } from "node:fs";
import path from "node:path";
import { hashOf } from "./hash-of.ts";
import { contentLimitMs, LONG_LIMIT_MS, runGit } from "./run-git.ts";
import type { SnapshotDesk } from "./snapshot-desk.ts";
import type { HeldIndex } from "./user-index.ts";
import type { VeiledRepository } from "./veiled-repository.ts";

/** From where to where the user's branch goes: written down before anything is done. */
export interface Plan {
  readonly branch: string;
  readonly before: string;
  readonly after: string;
  readonly how: "fast_forward" | "merge";
  readonly files: readonly string[];
  /** The tree that is on the branch; plans of before have none, and are of the project's own. */
  readonly tree?: string;
}

export interface Move {
  readonly desk: SnapshotDesk;
  readonly repository: VeiledRepository;
  readonly key: string;
  readonly tree: string;
  readonly plan: Plan;
}

type Index = { readonly gitDir: string; readonly tree: string; readonly index: string };
type Entries = ReadonlyMap<string, string>;

/** An index of our own that holds a commit. */
export async function indexOf({ desk, repository, key, tree }: Move, commit: string): Promise<Index> {
  const index = path.join(desk.store.folder, `take-in-${hashOf(`${key}/${commit}`)}.lock`);
  const call = { gitDir: repository.veil, tree, index };
  await runGit({ ...call, args: ["read-tree", commit] });
  return call;
}

export interface Standing {
  readonly file: string;
  readonly at: "before" | "after" | "other";
  /** The same of its entry in the user's index. */
  readonly staged: "before" | "after" | "other";
}

/** Which side each file of the plan is on: git reads them itself, by the tree's own rules for line ends. */
export async function standing(move: Move, held: HeldIndex): Promise<Standing[]> {
  const { plan } = move;
  const before = await entriesOf(await indexOf(move, plan.before), plan.files);
  const after = await entriesOf(await indexOf(move, plan.after), plan.files);
  const found = await indexOf(move, plan.before);
  await stage(found, plan.files);
  const now = await entriesOf(found, plan.files);
  const staged = await entriesOf({ ...found, index: held.copy }, plan.files);
  const side = (entries: Entries, file: string): Standing["at"] => {
    const entry = entries.get(file);
    return entry === after.get(file) ? "after" : entry === before.get(file) ? "before" : "other";
  };
  return plan.files.map((file) => ({ file, at: side(now, file), staged: side(staged, file) }));
}

async function entriesOf(call: Index, files: readonly string[]): Promise<Entries> {
  const wanted = new Set(files);
  const { output } = await runGit({ ...call, args: ["ls-files", "--stage", "-z"] });
  const rows = output.toString().split("\0");
  return new Map(
    rows.flatMap((row): [string, string][] => {
      const [entry = "", file = ""] = row.split("\t");
      return wanted.has(file) ? [[file, entry]] : [];
    }),
  );
}

async function stage(call: Index, files: readonly string[]): Promise<void> {
  const args = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
  const limitMs = contentLimitMs(call.tree, files);
  await runGit({ ...call, input: files.map((file) => `${file}\0`).join(""), args, limitMs });
}

const asideOf = ({ repository, key }: Move): string =>
  path.join(repository.gitDir, `holdfast-${hashOf(key).slice(0, 16)}`);

/** Each of these becomes what the commit has; each appears whole. What is gone there goes, with empty folders. */
export async function writeFiles(move: Move, commit: string, files: readonly string[]): Promise<void> {
  const { tree, desk } = move;
  const aside = asideOf(move);
  clearAside(move);
  try {
    mkdirSync(aside, { recursive: true });
    const call = await indexOf(move, commit);
    const there = await entriesOf(call, files);
    const input = files.filter((file) => there.has(file)).map((file) => `${file}\0`);
    const args = ["checkout-index", "--force", "-z", "--stdin", `--prefix=${aside}/`];
    await runGit({ ...call, input: input.join(""), args, limitMs: LONG_LIMIT_MS });
    for (const file of files.filter((one) => !there.has(one))) remove(tree, file);
    for (const file of files.filter((one) => there.has(one))) {
      mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
      renameSync(path.join(aside, file), path.join(tree, file));
      desk.world.crashPoint("workspace.take-in.write");
    }
  } finally {
    clearAside(move);
  }
}

/** Files that were made and not moved into the tree. */
export function clearAside(move: Move): void {
  rmSync(asideOf(move), { recursive: true, force: true });
}

function remove(tree: string, file: string): void {
  const place = path.join(tree, file);
  if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) unlinkSync(place);
  for (let folder = path.dirname(place); folder !== tree; folder = path.dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      // It holds something else.
      return;
    }
  }
}

/** In the copy of the user's index these files become what the commit has; all others stay as they are. */
export async function stageIn(move: Move, held: HeldIndex, files: readonly string[]): Promise<void> {
  const { plan, repository, tree } = move;
  const call = { gitDir: repository.veil, tree, index: held.copy };
  const after = await entriesOf(await indexOf(move, plan.after), files);
  const none = `0 ${"0".repeat(plan.after.length)}`;
  const gone = files.filter((file) => !after.has(file)).map((file) => `${none}\t${file}\0`);
  const there = files.flatMap((file) => {
    const entry = after.get(file);
    return entry === undefined ? [] : [`${entry}\t${file}\0`];
  });
  const args = ["update-index", "--add", "--replace", "-z", "--index-info"];
  await runGit({ ...call, input: [...gone, ...there].join(""), args });
}

/** So that git need not read the files again; what differs from the index stays noted as such. */
export async function refresh({ repository, tree }: Move, held: HeldIndex): Promise<void> {
  const call = { gitDir: repository.veil, tree, index: held.copy };
  await runGit({ ...call, args: ["update-index", "-q", "--refresh"], answers: [1], limitMs: LONG_LIMIT_MS });
}
