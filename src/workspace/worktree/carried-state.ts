import { lstatSync } from "node:fs";
import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { recordAnswer, recordedAnswer } from "../accept/commit-orders.ts";
import { ancestorsOf, bytesOf, fromText } from "../snapshot/byte-path.ts";
import type { CarryOrder } from "./carry-orders.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import { listSnapshot } from "../snapshot/list-snapshot.ts";
import { entriesOf, stage, type Entries, type Index } from "../accept/move-files.ts";
import { blobId, gitMode, readEntry } from "../snapshot/read-entry.ts";
import { runGit } from "../git/run-git.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { shadowRepository, type ShadowRepository } from "../git/shadow-repository.ts";
import type { Worktree } from "./worktree-orders.ts";

/**
 * What the user had not committed when it was carried into a run's worktree, as `git stash` would keep it: a commit of
 * the files, whose second parent is a commit of what was staged, held by a ref of ours in the user's repository. An
 * acceptance may replace a file that is still exactly that, for nothing of it is lost.
 */
export interface CarriedState {
  readonly ref: string;
  readonly commit: string;
  /** The bytes on disk, before any rule for line ends; null where the user had deleted the file. */
  readonly files: Readonly<Record<string, { readonly oid: string; readonly mode: string } | null>>;
}

export const carriedRefOf = (branch: string): string => `refs/holdfast/carried/${branch}`;

/** By the branch of the worktree. */
export const carriedFor = ({ store }: SnapshotHandle, branch: string | undefined): CarriedState | null =>
  branch === undefined ? null : recordedAnswer<CarriedState>(store, "carried-state", branch);

interface Seen {
  readonly onto: string;
  /** A snapshot of the user's tree. */
  readonly snapshot: string;
  readonly files: readonly string[];
}

/** On disk: objects, the ref, the record. The same again makes the same commit. */
export async function keepCarried(
  handle: SnapshotHandle,
  order: CarryOrder,
  { onto, snapshot, files: all }: Seen,
): Promise<void> {
  const { store } = handle;
  const { project, tree } = order;
  const branch = recordedAnswer<Worktree>(store, "standing", tree)?.branch;
  const files = all.filter((file) => !isInRepositoryBelow(project, file));
  if (branch === undefined || files.length === 0) return;
  const repository = shadowRepository(store.folder, project);
  const commit = await commitOf(handle, repository, { order, onto, files });
  if (commit === null) return;
  const ref = carriedRefOf(branch);
  await runGit({ gitDir: repository.shadow, args: ["update-ref", ref, commit] });
  const listing = await listSnapshot(handle, snapshot);
  const known = (file: string): [string, CarriedState["files"][string]] => {
    const entry = listing.files.get(fromText(file));
    return [file, entry === undefined ? null : { oid: entry.oid, mode: gitMode(entry.mode) }];
  };
  const state: CarriedState = { ref, commit, files: Object.fromEntries(files.map(known)) };
  recordAnswer(store, "carried-state", branch, state);
}

/** Of a submodule or a nested repository only its own git can say what is in it. */
const isInRepositoryBelow = (project: string, file: string): boolean =>
  ancestorsOf(file).some(
    (folder) => lstatSync(path.join(project, folder, ".git"), { throwIfNoEntry: false }) !== undefined,
  );

interface Kept {
  readonly order: CarryOrder;
  readonly onto: string;
  readonly files: readonly string[];
}

/** Null where git cannot hold it: then nothing of it is ever replaced. */
async function commitOf(
  { store }: SnapshotHandle,
  repository: ShadowRepository,
  { order, onto, files }: Kept,
): Promise<string | null> {
  const index = path.join(store.folder, `carried-${hashOf(order.key)}.lock`);
  const call = { gitDir: repository.shadow, tree: order.project, index };
  const own = { ...call, index: path.join(repository.gitDir, "index") };
  try {
    await runGit({ ...call, args: ["read-tree", onto] });
    await putEntries(call, await entriesOf(own, files.map(fromText)), {
      files,
      none: `0 ${"0".repeat(onto.length)}`,
    });
    const staged = await commitIndex(call, [onto], order.atMs);
    await stage(call, files.map(fromText));
    return await commitIndex(call, [onto, staged], order.atMs);
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

/** In an index of ours these files become what the entries say; those in conflict are left out. */
async function putEntries(
  call: Index,
  entries: Entries,
  { files, none }: { readonly files: readonly string[]; readonly none: string },
): Promise<void> {
  const rows = files.map(fromText).map((file) => {
    const entry = entries.get(file);
    return entry?.endsWith(" 0") === true ? `${entry}\t${file}\0` : `${none}\t${file}\0`;
  });
  const args = ["update-index", "--add", "--replace", "-z", "--index-info"];
  await runGit({ ...call, input: bytesOf(rows.join("")), args });
}

async function commitIndex(call: Index, parents: readonly string[], atMs: number): Promise<string> {
  const { gitDir, index } = call;
  const tree = (await runGit({ gitDir, index, args: ["write-tree"] })).output.toString().trim();
  const made = await runGit({
    gitDir,
    args: ["commit-tree", ...parents.flatMap((one) => ["-p", one]), tree],
    input: parents.length === 1 ? "what was staged\n" : "what was not committed\n",
    env: nobodyAt(atMs),
  });
  return made.output.toString().trim();
}

const nobodyAt = (atMs: number): Record<string, string> => {
  const at = `@${String(Math.floor(atMs / 1_000))} +0000`;
  const [name, email] = ["Holdfast", "holdfast@localhost"];
  return {
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: at },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: at },
  };
};

const FILE_BYTES_MAX = 2 ** 30;

/** Whether a file of the user's is, byte for byte, what was carried. */
export function isAsCarried({ files }: CarriedState, tree: string, file: string, nowMs: number): boolean {
  const known = Object.hasOwn(files, file) ? files[file] : undefined;
  if (known === undefined) return false;
  const found = readEntry(tree, fromText(file), { bytesMax: FILE_BYTES_MAX, nowMs });
  if (known === null) return found.kind === "gone";
  return found.kind === "read" && gitMode(found.mode) === known.mode && blobId(found.bytes) === known.oid;
}

/** The ref goes with the branch, unless it holds what an acceptance has replaced. */
export async function dropCarried(
  handle: SnapshotHandle,
  repository: ShadowRepository,
  branch: string,
): Promise<void> {
  const { store } = handle;
  const state = carriedFor(handle, branch);
  if (state === null) return;
  if (recordedAnswer(store, "replaced", branch) === null) {
    const args = ["update-ref", "-d", state.ref, state.commit];
    await runGit({ gitDir: repository.shadow, args, answers: [1, 128] });
  }
  for (const kind of ["carried-state", "replaced"])
    store.db.prepare("DELETE FROM done WHERE key = ?").run(`${kind}:${branch}`);
}
