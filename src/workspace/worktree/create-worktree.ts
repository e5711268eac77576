import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Fault } from "../../model/fault.ts";
import { recordAnswer, recordedAnswer } from "../accept/commit-orders.ts";
import { bytePath, bytesOf, type BytePath } from "../snapshot/byte-path.ts";
import { LONG_LIMIT_MS, runGit } from "../git/run-git.ts";
import type { Slots } from "./slots.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import { freeIndex } from "../git/user-index.ts";
import { firstLine, readHead, resolveRef } from "../git/user-repository.ts";
import { keepWork } from "./work-ref.ts";
import { recordFolderOf, shadowRepository, type ShadowRepository } from "../git/shadow-repository.ts";
import type { Worktree, WorktreeOrder } from "./worktree-orders.ts";

/**
 * Makes a worktree as `git worktree add` does, without running what the repository would have git run: hooks, filters.
 *
 * Steps, each of which is done only where it is not done yet: the branch; git's record (locked against pruning, made
 * aside and renamed into place); the folder with its `.git` file; the index and the files; the lock taken off.
 */
export async function createWorktree(
  handle: SnapshotHandle,
  slots: Slots,
  order: WorktreeOrder,
): Promise<Worktree> {
  const { store, world } = handle;
  const recorded = recordedAnswer<Worktree>(store, "worktree", order.key);
  if (recorded !== null) return recorded;
  const repository = shadowRepository(store.folder, order.project);
  const tree = freePlace(order, repository);
  const from = await startCommit(repository, order);
  await makeBranch(repository, order.branch, from);
  world.crashPoint("workspace.worktree.branch");
  await keepWork(repository, order.branch, from);
  const call = await raiseTree(handle, repository, { tree, branch: order.branch, from });
  if (order.inside !== undefined) mkdirSync(path.join(tree, order.inside), { recursive: true });
  const unfiltered = (await filteredFiles(call, null)).length;
  const worktree: Worktree = {
    project: order.project,
    tree,
    branch: order.branch,
    from,
    unfiltered,
    ...portsOf(order, slots.take(tree)),
    commands: order.commands ?? {},
  };
  recordAnswer(store, "standing", tree, worktree);
  return recordAnswer(store, "worktree", order.key, worktree);
}

interface Raised {
  readonly tree: string;
  readonly branch: string;
  readonly from: string;
  /** The files in the folder stay as they are. */
  readonly asIs?: boolean;
}

/** Git's record and the folder where they are missing, then the index and the files. */
export async function raiseTree(
  handle: SnapshotHandle,
  repository: ShadowRepository,
  { tree, branch, from, asIs = false }: Raised,
): Promise<{ readonly gitDir: string; readonly tree: string; readonly index: string }> {
  const { world } = handle;
  const record = recordFolderOf(repository, tree);
  makeRecord(record, tree, branch);
  world.crashPoint("workspace.worktree.record");
  mkdirSync(tree, { recursive: true });
  writeFileSync(path.join(tree, ".git"), `gitdir: ${record}\n`);
  world.crashPoint("workspace.worktree.folder");
  const index = path.join(record, "index");
  const call = { gitDir: repository.shadow, tree, index };
  const isKept = asIs && existsSync(index);
  // A process that was killed may have left its lock there, in a tree that was removed since.
  if (!isKept) await freeIndex(handle, record);
  if (!isKept) await runGit({ ...call, args: ["read-tree", "--reset", from] });
  const checkout = ["checkout-index", "--all", "--force", "--index", "--quiet"];
  if (!asIs) await runGit({ ...call, args: checkout, limitMs: LONG_LIMIT_MS });
  world.crashPoint("workspace.worktree.files");
  rmSync(path.join(record, "locked"), { force: true });
  return call;
}

function portsOf({ ports }: WorktreeOrder, slot: number): Pick<Worktree, "slot" | "ports"> {
  if (ports === undefined) return { slot, ports: null };
  const first = ports.from + slot * ports.count;
  if (first + ports.count - 1 <= PORT_MAX) return { slot, ports: { first, count: ports.count } };
  throw new Fault(
    "refused",
    `worktree ${String(slot)} would get the ports from ${String(first)} on; expected them below ${String(PORT_MAX)}: remove worktrees, or begin lower`,
  );
}

const PORT_MAX = 65_535;

/** Outside the project, and free; or begun by an earlier try of ours. */
function freePlace({ project, tree }: WorktreeOrder, repository: ShadowRepository): string {
  mkdirSync(path.dirname(tree), { recursive: true });
  const place = path.join(realpathSync(path.dirname(tree)), path.basename(tree));
  const inside = (outer: string): boolean => !path.relative(outer, place).startsWith("..");
  if (inside(project) || inside(repository.commonDir))
    throw new Fault("usage", `${tree} is inside ${project}; expected a folder outside of the user's tree`);
  const begun = firstLine(path.join(place, ".git")) === `gitdir: ${recordFolderOf(repository, place)}`;
  if (existsSync(place) && readdirSync(place).length > 0 && !begun)
    throw new Fault(
      "refused",
      `${tree} exists and is not empty; expected a free place for a worktree: name another`,
    );
  return place;
}

async function startCommit(
  repository: ShadowRepository,
  { project, from, goOn, branch }: WorktreeOrder,
): Promise<string> {
  const head = readHead(project);
  const there = goOn === true ? resolveRef(repository, `refs/heads/${branch}`) : null;
  const wanted = there ?? from ?? (head.kind === "git" ? head.commit : null);
  if (wanted === null)
    throw new Fault(
      "refused",
      `${project} has no commit yet; expected one to start a worktree from: commit first`,
    );
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${wanted}^{commit}`];
  const { code, output } = await runGit({ gitDir: repository.shadow, args, answers: [1, 128] });
  if (code !== 0)
    throw new Fault(
      "not_found",
      `"${wanted}" is no commit of ${project}; expected one to start a worktree from`,
    );
  return output.toString().trim();
}

/** A branch that stands there already is as good as made. */
export async function makeBranch(repository: ShadowRepository, branch: string, from: string): Promise<void> {
  const gitDir = repository.shadow;
  const ref = `refs/heads/${branch}`;
  // No program can be given a NUL.
  const isWord = !branch.includes("\0") && !branch.startsWith("-");
  const accepted =
    isWord && (await runGit({ gitDir, args: ["check-ref-format", ref], answers: [1] })).code === 0;
  if (!accepted)
    throw new Fault("usage", `"${branch}" is no name for a branch; expected one that git accepts`);
  const there = resolveRef(repository, ref);
  if (there === from) return;
  if (there !== null)
    throw new Fault("refused", `the branch ${branch} exists at ${there}; expected a new one: name another`);
  await runGit({ gitDir, args: ["update-ref", ref, from, "0".repeat(from.length)] });
}

function makeRecord(record: string, tree: string, branch: string): void {
  if (existsSync(record)) return;
  const aside = `${record}.begun`;
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  writeFileSync(path.join(aside, "locked"), "Holdfast is making this worktree\n");
  writeFileSync(path.join(aside, "HEAD"), `ref: refs/heads/${branch}\n`);
  writeFileSync(path.join(aside, "commondir"), "../..\n");
  writeFileSync(path.join(aside, "gitdir"), `${path.join(tree, ".git")}\n`);
  renameSync(aside, record);
}

/** Files that the attributes give to a filter of the user's: all of the index, or those named. */
export async function filteredFiles(
  call: { readonly gitDir: string; readonly tree: string; readonly index: string },
  files: readonly BytePath[] | null,
): Promise<BytePath[]> {
  const input =
    files === null
      ? (await runGit({ ...call, args: ["ls-files", "-z"] })).output
      : bytesOf(files.map((file) => `${file}\0`).join(""));
  const { output } = await runGit({ ...call, input, args: ["check-attr", "-z", "--stdin", "filter"] });
  const fields = bytePath(output).split("\0");
  return fields.filter(
    (_, at) => at % 3 === 0 && !["unspecified", "unset", undefined].includes(fields[at + 2]),
  );
}
