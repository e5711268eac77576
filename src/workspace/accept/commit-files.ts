import path from "node:path";
import { readPlain } from "../../files/plain-file.ts";
import type { MovedFiles } from "../../model/state/bound-tree.ts";
import { Fault } from "../../model/fault.ts";
import { type CommitOrder, type Committed, recordAnswer, recordedAnswer } from "./commit-orders.ts";
import { bytePath, fromText, onDisk, toText, type BytePath } from "../snapshot/byte-path.ts";
import { endMerge, finishMerge, mergingOf, unmergedFiles } from "./begin-merge.ts";
import { compareCommits } from "./compare-commits.ts";
import { filteredFiles } from "../worktree/create-worktree.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import { kindIn } from "../kind-at.ts";
import { sortByRepository } from "./inner-repositories.ts";
import { lookAtTree } from "./look-at-tree.ts";
import { sortOwn, type PartOfFile } from "../worktree/own-part.ts";
import { stage } from "./move-files.ts";
import { runGit } from "../git/run-git.ts";
import { refuseSpecialFiles } from "../snapshot/special-files.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { holdIndex } from "../git/user-index.ts";
import { readHead, resolveRef } from "../git/user-repository.ts";
import { shadowRepository, type ShadowRepository } from "../git/shadow-repository.ts";
import { displacedFrom, isLinkedTree, keepWork, workRefOf } from "../worktree/work-ref.ts";

/**
 * Commits exactly the files named. The same order always makes the same commit (its time is part of the order), so a
 * try after a crash sees by the branch alone how far the last one came.
 */
export async function commitFiles(handle: SnapshotHandle, asked: CommitOrder): Promise<Committed> {
  const { store, world } = handle;
  const recorded = recordedAnswer<Committed>(store, "commit", asked.key);
  if (recorded !== null) return recorded;
  const before = await movedSinceProof(handle, asked);
  if (before !== null) return { kind: "unproved", moved: before };
  const repository = shadowRepository(store.folder, asked.tree);
  const astray = (await strayed(repository, asked)) ?? (await halfMerged(handle, repository, asked));
  if (astray !== null) return astray;
  const index = path.join(store.folder, `commit-${hashOf(asked.key)}.lock`);
  const parent = asked.expected.commit ?? "--empty";
  await runGit({ gitDir: repository.shadow, index, args: ["read-tree", parent] });
  const { files, inner } = await sortByRepository({ gitDir: repository.shadow, index }, asked.files);
  for (const file of files) checkFile(file, asked.tree);
  const leftOut = inner.length === 0 ? {} : { inner };
  const sorted = sortOwn(asked.tree, files);
  const paths = await pathsOf({ gitDir: repository.shadow, tree: asked.tree, index }, sorted.files);
  refuseSpecialFiles(asked.tree, paths);
  const { files: named, filtered } = await sortFiles(repository, { ...asked, files: paths }, index);
  if (filtered.length > 0) return { kind: "filtered", files: filtered.map(toText) };
  const order = { ...asked, files: named, parts: sorted.parts };
  const made = await makeCommit(repository, order, index);
  // What was read is what was proved only if the folder is that still: nobody refers to the commit yet.
  const moved = await movedSinceProof(handle, asked);
  if (moved !== null) return { kind: "unproved", moved };
  if (typeof made === "object") {
    if (made.kind === "nothing") await nothingToCommit(repository, order);
    return { ...made, ...leftOut };
  }
  world.crashPoint("workspace.commit.made");
  const refused = await moveBranch(handle, { repository, order, made });
  if (refused !== null) return refused;
  await putTag(repository, order, made);
  world.crashPoint("workspace.commit.tagged");
  const all = [...order.files.map(toText), ...order.parts.map(({ file }) => file)];
  const { commit } = order.expected;
  const changed = commit === null ? all : (await compareCommits(repository, commit, made)).files;
  return recordAnswer(store, "commit", order.key, {
    kind: "committed",
    commit: made,
    files: changed,
    ...leftOut,
  } satisfies Committed);
}

/** Agents may have committed all of it themselves: then that is the last commit which nobody may take away. */
async function nothingToCommit(repository: ShadowRepository, order: SortedOrder): Promise<void> {
  const { commit, branch } = order.expected;
  await putTag(repository, order, commit);
  const head = readHead(order.tree);
  const isThere = head.kind === "git" && head.branch === branch && head.commit === commit;
  if (isThere && commit !== null && isLinkedTree(repository)) await keepWork(repository, branch, commit);
}

/** Names come as text; of one that is no UTF-8 only git and the folder know the bytes. */
async function pathsOf(
  call: { readonly gitDir: string; readonly tree: string; readonly index: string },
  files: readonly string[],
): Promise<BytePath[]> {
  const odd = new Set(files.filter((file) => file.includes("\ufffd")));
  const plain = files.filter((file) => !odd.has(file)).map(fromText);
  if (odd.size === 0) return plain;
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const there = bytePath((await runGit({ ...call, args })).output).split("\0");
  return [...plain, ...there.filter((file) => odd.has(toText(file)))];
}

/** A branch of ours that somebody deleted or moved from outside gets nothing on top: what was there would be lost. */
async function strayed(
  repository: ShadowRepository,
  { tree, expected: { branch, commit } }: CommitOrder,
): Promise<Committed | null> {
  const head = readHead(tree);
  const isGone = commit === null && resolveRef(repository, workRefOf(branch)) !== null;
  if (isGone && isLinkedTree(repository)) return { kind: "moved", head };
  const last = await displacedFrom(repository, branch, head.kind === "git" ? head.commit : null);
  return last === null ? null : { kind: "displaced", last, ref: workRefOf(branch) };
}

const MARKER = /^(<{7}|>{7}) /m;
const MARKED_BYTES_MAX = 64 * 2 ** 20;

/** A merge that a person has not finished is not committed. */
async function halfMerged(
  handle: SnapshotHandle,
  repository: ShadowRepository,
  { tree }: CommitOrder,
): Promise<Committed | null> {
  if (!isLinkedTree(repository)) return null;
  if (await finishMerge(handle, tree)) return { kind: "moved", head: readHead(tree) };
  if (mergingOf(repository) === null) return null;
  const marked = (await unmergedFiles(repository, tree)).filter((file) => {
    const found = readPlain(onDisk(tree, file), { bytesMax: MARKED_BYTES_MAX });
    return found.kind === "read" && MARKER.test(found.bytes.toString("latin1"));
  });
  return marked.length === 0 ? null : { kind: "unmerged", files: marked.map(toText) };
}

interface Made {
  readonly repository: ShadowRepository;
  readonly order: SortedOrder;
  readonly made: string;
}

/** The branch and the index of the tree; nobody else changes the index meanwhile. Null once both are done. */
async function moveBranch(
  handle: SnapshotHandle,
  { repository, order, made }: Made,
): Promise<Committed | null> {
  const held = await holdIndex(handle, repository, order.alone === true ? { alone: true } : {});
  if ("locked" in held) return { kind: "locked", file: held.locked };
  try {
    const head = readHead(order.tree);
    const { commit, branch } = order.expected;
    if (head.kind !== "git" || head.branch !== branch) return { kind: "moved", head };
    if (head.commit !== made && head.commit !== commit) return { kind: "moved", head };
    // Made ready first: once the branch has moved nothing is left that can fail but a rename.
    await stageAll(repository, order, held.copy);
    if (head.commit !== made) {
      const before = commit ?? "0".repeat(made.length);
      const args = ["update-ref", `refs/heads/${branch}`, made, before];
      const moved = await runGit({ gitDir: repository.shadow, args, answers: [1, 128] });
      if (moved.code !== 0) return { kind: "moved", head: readHead(order.tree) };
    }
    handle.world.crashPoint("workspace.commit.moved");
    // After the branch, which would seem to have been moved back otherwise.
    if (isLinkedTree(repository)) await keepWork(repository, branch, made);
    held.replace();
    if (isLinkedTree(repository)) endMerge(repository);
    handle.world.crashPoint("workspace.commit.staged");
    return null;
  } finally {
    held.release();
  }
}

async function movedSinceProof(
  handle: SnapshotHandle,
  { project, proved, atMs }: CommitOrder,
): Promise<MovedFiles | null> {
  if (proved === undefined) return null;
  const { tree, since, aside } = proved;
  return (await lookAtTree(handle, { project, tree, atMs, since, aside })).moved;
}

/** The last work that passed under this name: a tag of before is moved. */
async function putTag(
  { shadow }: ShadowRepository,
  { tag }: CommitOrder,
  commit: string | null,
): Promise<void> {
  if (tag === undefined || commit === null) return;
  const ref = `refs/tags/${tag}`;
  const isName = (await runGit({ gitDir: shadow, args: ["check-ref-format", ref], answers: [1] })).code === 0;
  if (!isName) throw new Fault("usage", `"${tag}" is no name for a tag; expected one that git accepts`);
  await runGit({ gitDir: shadow, args: ["update-ref", ref, commit] });
}

/**
 * Those of which a filter decides what is stored are a person's to commit. Where that is done nothing is left to do:
 * by the user's own index, in which git itself has noted which files are as they were stored.
 */
async function sortFiles(
  repository: ShadowRepository,
  { tree, files, expected }: ByPaths,
  index: string,
): Promise<{ readonly files: readonly BytePath[]; readonly filtered: readonly BytePath[] }> {
  const gitDir = repository.shadow;
  const filtered = new Set(await filteredFiles({ gitDir, tree, index }, files));
  if (filtered.size === 0 || expected.commit === null) return { files, filtered: [...filtered] };
  const own = { gitDir, tree, index: path.join(repository.gitDir, "index") };
  const namesOf = async (...args: string[]): Promise<Set<BytePath>> =>
    new Set(bytePath((await runGit({ ...own, args })).output).split("\0"));
  const differing = await namesOf("diff-index", "--name-only", "--no-renames", "-z", expected.commit);
  const staged = await namesOf("ls-files", "-z");
  const isGone = (file: BytePath): boolean => kindIn(tree, file) === "none";
  const isDone = (file: BytePath): boolean => !differing.has(file) && (staged.has(file) || isGone(file));
  return {
    files: files.filter((file) => !filtered.has(file)),
    filtered: [...filtered].filter((file) => !isDone(file)),
  };
}

type ByPaths = Omit<CommitOrder, "files"> & { readonly files: readonly BytePath[] };

/** What is committed: whole files, and people's part of those that Holdfast has written into. */
type SortedOrder = ByPaths & { readonly parts: readonly PartOfFile[] };

async function makeCommit(
  repository: ShadowRepository,
  order: SortedOrder,
  index: string,
): Promise<string | Committed> {
  const gitDir = repository.shadow;
  const parent = order.expected.commit;
  await stageAll(repository, order, index);
  const tree = (await runGit({ gitDir, index, args: ["write-tree"] })).output.toString().trim();
  const merging = isLinkedTree(repository) ? mergingOf(repository) : null;
  if (parent !== null && merging === null) {
    const known = await runGit({ gitDir, args: ["rev-parse", "--verify", `${parent}^{tree}`] });
    if (known.output.toString().trim() === tree) return { kind: "nothing" };
  }
  const at = `@${String(Math.floor(order.atMs / 1_000))} +0000`;
  const { name, email } = order.author;
  const made = await runGit({
    gitDir,
    args: ["commit-tree", ...[parent, merging].flatMap((one) => (one === null ? [] : ["-p", one])), tree],
    input: order.message.endsWith("\n") ? order.message : `${order.message}\n`,
    env: {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: at,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_COMMITTER_DATE: at,
    },
  });
  return made.output.toString().trim();
}

async function stageAll(
  repository: ShadowRepository,
  { tree, files, parts }: SortedOrder,
  index: string,
): Promise<void> {
  const gitDir = repository.shadow;
  await stage({ gitDir, tree, index }, files);
  for (const { file, bytes, mode } of parts) {
    const hash = ["hash-object", "-w", "--stdin", "--path", file];
    const oid = (await runGit({ gitDir, tree, index, input: bytes, args: hash })).output.toString().trim();
    const entry = `${mode} ${oid}\t${file}\0`;
    await runGit({ gitDir, tree, index, input: entry, args: ["update-index", "-z", "--index-info"] });
  }
}

function checkFile(file: string, tree: string): void {
  const parts = file.split("/");
  const strange = parts.some((part) => part === "" || part === "." || part === ".." || /^\.git$/i.test(part));
  if (strange || file.includes("\0"))
    throw new Fault(
      "usage",
      `"${file}" cannot be committed; expected a file inside ${tree}, by its path from there`,
    );
}
