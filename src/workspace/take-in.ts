import { lstatSync, mkdirSync, renameSync, rmSync, rmdirSync, unlinkSync } from "node:fs";
import path from "node:path";
import { recordAnswer, recordedAnswer } from "./answers.ts";
import { fromText } from "./byte-path.ts";
import type { Head, TakeInOrder, TakenIn } from "./commit-orders.ts";
import { compareCommits, tryMerge } from "./compare-commits.ts";
import { filteredFiles } from "./create-worktree.ts";
import { hashOf } from "./hash-of.ts";
import { contentLimitMs, LONG_LIMIT_MS, runGit } from "./run-git.ts";
import { refuseSpecialFiles } from "./special-files.ts";
import type { SnapshotDesk } from "./snapshot-desk.ts";
import { takeSnapshot } from "./take-snapshot.ts";
import { readHead } from "./user-repository.ts";
import { veilRepository, type VeiledRepository } from "./veiled-repository.ts";

/** From where to where the user's branch goes: written down before anything is done. */
interface Plan {
  readonly branch: string;
  readonly before: string;
  readonly after: string;
  readonly how: "fast_forward" | "merge";
  readonly files: readonly string[];
}

interface Work {
  readonly desk: SnapshotDesk;
  readonly repository: VeiledRepository;
  readonly order: TakeInOrder;
  readonly plan: Plan;
}

/**
 * Takes a commit into the branch that the user's tree is on: files, then the branch, then the index.
 *
 * A file of the tree is replaced only where it is as the branch has it, and appears whole, by rename; all of the tree
 * is in a verified snapshot before. Dying in between leaves whole files of the old or the new commit: the same order
 * again sees which, and goes on by the plan that it finds.
 */
export async function takeIn(desk: SnapshotDesk, order: TakeInOrder): Promise<TakenIn> {
  const { store, world } = desk;
  const recorded = recordedAnswer<TakenIn>(store, "taken-in", order.key);
  if (recorded !== null) return recorded;
  if (order.answerOnly === true) return { kind: "unknown" };
  const repository = veilRepository(store.folder, treeOf(order));
  const plan = recordedAnswer<Plan>(store, "take-in", order.key) ?? (await makePlan(repository, order));
  if ("kind" in plan) return plan;
  refuseSpecialFiles(treeOf(order), plan.files.map(fromText));
  recordAnswer(store, "take-in", order.key, plan);
  world.crashPoint("workspace.take-in.planned");
  const work = { desk, repository, order, plan };
  const head = readHead(treeOf(order));
  if (!isAt(head, plan, plan.after)) {
    if (!isAt(head, plan, plan.before)) return givenUp(work, { kind: "moved", head });
    const refused = await moveTree(work);
    if (refused !== null) return givenUp(work, refused);
  }
  await stageAll(work);
  world.crashPoint("workspace.take-in.staged");
  const { after, branch, how, files } = plan;
  return recordAnswer(store, "taken-in", order.key, {
    kind: "taken",
    commit: after,
    into: branch,
    how,
    files,
  });
}

const isAt = (head: Head, { branch }: Plan, commit: string): boolean =>
  head.kind === "git" && head.branch === branch && head.commit === commit;

const treeOf = ({ project, tree }: TakeInOrder): string => tree ?? project;

/** A later order begins anew. */
function givenUp({ desk: { store }, order }: Work, refused: TakenIn): TakenIn {
  store.db.prepare("DELETE FROM done WHERE key = ?").run(`take-in:${order.key}`);
  return refused;
}

async function makePlan(repository: VeiledRepository, order: TakeInOrder): Promise<Plan | TakenIn> {
  const head = readHead(treeOf(order));
  if (head.kind !== "git" || head.branch === null || head.commit === null) return { kind: "moved", head };
  const { branch, commit: before } = head;
  const { relation } = await compareCommits(repository, before, order.commit);
  if (relation === "same" || relation === "back")
    return { kind: "taken", commit: before, into: branch, how: "already", files: [] };
  const after = relation === "forward" ? order.commit : await mergeCommit(repository, order, before);
  if (typeof after !== "string") return after;
  const { files, count } = await compareCommits(repository, before, after);
  if (count > files.length) return { kind: "conflict", files: [] };
  return { branch, before, after, how: relation === "forward" ? "fast_forward" : "merge", files };
}

async function mergeCommit(
  repository: VeiledRepository,
  { commit, message, author, atMs }: TakeInOrder,
  before: string,
): Promise<string | TakenIn> {
  const merged = await tryMerge(repository, before, commit);
  if (merged.kind !== "clean")
    return { kind: "conflict", files: merged.kind === "conflict" ? merged.files : [] };
  const at = `@${String(Math.floor(atMs / 1_000))} +0000`;
  const made = await runGit({
    gitDir: repository.veil,
    args: ["commit-tree", "-p", before, "-p", commit, merged.tree],
    input: message,
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: at,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
      GIT_COMMITTER_DATE: at,
    },
  });
  return made.output.toString().trim();
}

/** Null once files and branch are where they should be. */
async function moveTree(work: Work): Promise<TakenIn | null> {
  const { desk, repository, order, plan } = work;
  const filtered = await filteredFiles(await indexOf(work, plan.after), plan.files);
  if (filtered.length > 0) return { kind: "filtered", files: filtered };
  const dirty = (await standing(work)).filter(({ at }) => at === "other").map(({ file }) => file);
  if (dirty.length > 0) return { kind: "dirty", files: dirty };
  const { project, atMs, key } = order;
  const note = "before work was taken in";
  await takeSnapshot(desk, { key: `${key}/before`, project, tree: treeOf(order), atMs, note });
  desk.world.crashPoint("workspace.take-in.kept");
  await writeFiles(work, plan.after);
  desk.world.crashPoint("workspace.take-in.files");
  const moved = await runGit({
    gitDir: repository.veil,
    args: ["update-ref", `refs/heads/${plan.branch}`, plan.after, plan.before],
    answers: [1, 128],
  });
  desk.world.crashPoint("workspace.take-in.branch");
  if (moved.code === 0) return null;
  await writeFiles(work, plan.before);
  return { kind: "moved", head: readHead(treeOf(order)) };
}

type Index = { readonly gitDir: string; readonly tree: string; readonly index: string };

/** An index of our own that holds a commit. */
async function indexOf({ desk, repository, order }: Work, commit: string): Promise<Index> {
  const index = path.join(desk.store.folder, `take-in-${hashOf(`${order.key}/${commit}`)}.lock`);
  const call = { gitDir: repository.veil, tree: treeOf(order), index };
  await runGit({ ...call, args: ["read-tree", commit] });
  return call;
}

interface Standing {
  readonly file: string;
  readonly at: "before" | "after" | "other";
}

/** Which side each file of the plan is on: git reads them itself, by the tree's own rules for line ends. */
async function standing(work: Work): Promise<Standing[]> {
  const { plan } = work;
  const before = await entriesOf(await indexOf(work, plan.before), plan.files);
  const after = await entriesOf(await indexOf(work, plan.after), plan.files);
  const found = await indexOf(work, plan.before);
  await stage(found, plan.files);
  const now = await entriesOf(found, plan.files);
  return plan.files.map((file) => {
    const entry = now.get(file);
    const at = entry === after.get(file) ? "after" : entry === before.get(file) ? "before" : "other";
    return { file, at };
  });
}

async function entriesOf(call: Index, files: readonly string[]): Promise<Map<string, string>> {
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

/** Files that are not yet as the commit has them; each appears whole. What is gone there goes, with empty folders. */
async function writeFiles(work: Work, commit: string): Promise<void> {
  const { repository, order, plan, desk } = work;
  const aside = path.join(repository.gitDir, `holdfast-${hashOf(order.key).slice(0, 16)}`);
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  const call = await indexOf(work, commit);
  const there = await entriesOf(call, plan.files);
  const side = commit === plan.after ? "after" : "before";
  const behind = (await standing(work)).filter(({ at }) => at !== side).map(({ file }) => file);
  const input = behind.filter((file) => there.has(file)).map((file) => `${file}\0`);
  const args = ["checkout-index", "--force", "-z", "--stdin", `--prefix=${aside}/`];
  await runGit({ ...call, input: input.join(""), args, limitMs: LONG_LIMIT_MS });
  for (const file of behind.filter((one) => !there.has(one))) remove(treeOf(order), file);
  for (const file of behind.filter((one) => there.has(one))) {
    mkdirSync(path.dirname(path.join(treeOf(order), file)), { recursive: true });
    renameSync(path.join(aside, file), path.join(treeOf(order), file));
    desk.world.crashPoint("workspace.take-in.write");
  }
  rmSync(aside, { recursive: true, force: true });
}

function remove(project: string, file: string): void {
  const place = path.join(project, file);
  if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) unlinkSync(place);
  for (let folder = path.dirname(place); folder !== project; folder = path.dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      // It holds something else.
      return;
    }
  }
}

async function stageAll({ repository, order, plan }: Work): Promise<void> {
  const index = path.join(repository.gitDir, "index");
  await stage({ gitDir: repository.veil, tree: treeOf(order), index }, plan.files);
}
