import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gitWorkspace } from "../../src/workspace/git-workspace.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import type { Bench, BenchContext, Findings } from "../harness/bench.ts";
import { benchWorld as world } from "../harness/bench-world.ts";
import { inTurns } from "../harness/rounds.ts";
import { ratioOf, spreadOf } from "../harness/statistics.ts";
import { count } from "./growth.ts";

export const snapshotsBench: Bench = {
  name: "snapshots",
  title: "Snapshots of a tree",
  onlyWhenAsked: true,
  run,
};

const FILES = 10_000;
const FILES_PER_FOLDER = 20;
const CHANGED = 10;

async function run({ folder, quick, progress }: BenchContext): Promise<Findings> {
  const tree = path.join(folder, "tree");
  progress(`${count(FILES)} files`);
  const files = makeTree(tree);
  const workspace = gitWorkspace({ home: path.join(folder, "home"), world });
  const taking = takeWith(workspace, tree);
  const firstMs = await timed(() => taking.take());
  progress("measuring");
  await settled(taking.take);
  const status = (): Promise<number> => timed(async () => plainStatus(tree));
  const rounds = quick ? 3 : 25;
  const [statusMs = [], unchangedMs = []] = await inTurns([status, () => timed(taking.take)], rounds);
  let turn = 0;
  const change = (): void => {
    turn += 1;
    for (let n = 0; n < CHANGED; n += 1)
      writeFileSync(
        files[(turn * 997 + n * 101) % files.length] ?? "",
        `changed ${String(turn)} ${String(n)}\n`,
      );
  };
  const changed = [() => (change(), status()), () => (change(), timed(taking.take))];
  const [dirtyStatusMs = [], changedMs = []] = await inTurns(changed, rounds);
  progress("growing");
  const growth = await grow({
    workspace,
    tree,
    files,
    take: taking.take,
    times: quick ? 20 : 1_000,
    home: path.join(folder, "home"),
  });
  await workspace.close();
  return {
    says: `A tree of ${count(FILES)} files in ${count(FILES / FILES_PER_FOLDER)} folders, committed by the user. A snapshot in a running supervisor, and \`git status\` in the same tree, by turns; ${String(rounds)} rounds. Then ${count(growth.times)} snapshots, ${String(CHANGED)} files changed before each: what the store grew by on disk, over the bytes of the changed files and of the trees that name them.`,
    figures: [
      { what: `first snapshot, everything read`, unit: "ms", spread: spreadOf([firstMs]) },
      { what: `git status, nothing changed`, unit: "ms", spread: spreadOf(statusMs) },
      { what: `snapshot, nothing changed`, unit: "ms", spread: spreadOf(unchangedMs) },
      { what: `git status, ${String(CHANGED)} files changed`, unit: "ms", spread: spreadOf(dirtyStatusMs) },
      { what: `snapshot, ${String(CHANGED)} files changed`, unit: "ms", spread: spreadOf(changedMs) },
    ],
    ratios: [
      {
        what: `unchanged: snapshot / git status`,
        spread: ratioOf(unchangedMs, statusMs),
        target: { atMost: 1.5 },
      },
      {
        what: `${String(CHANGED)} changed: snapshot / git status`,
        spread: ratioOf(changedMs, dirtyStatusMs),
        target: { atMost: 2 },
      },
      {
        what: `${count(growth.times)} snapshots: growth / changed bytes and trees`,
        spread: spreadOf([growth.grownBytes / growth.changedBytes]),
        target: { atMost: 1.5 },
      },
    ],
  };
}

function makeTree(tree: string): string[] {
  const files: string[] = [];
  for (let n = 0; n < FILES; n += 1) {
    const group = Math.floor(n / FILES_PER_FOLDER);
    const place = path.join(tree, `part${String(group % 20)}`, `module${String(group)}`);
    mkdirSync(place, { recursive: true });
    const file = path.join(place, `file${String(n)}.ts`);
    writeFileSync(file, `export const value${String(n)} = ${String(n)};\n`.repeat(10 + (n % 40)));
    files.push(file);
  }
  const git = (...args: string[]): unknown => execFileSync("git", ["-C", tree, ...args], { stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-q", "-m", "all");
  return files;
}

function takeWith(workspace: Workspace, tree: string): { take: () => Promise<unknown> } {
  let key = 0;
  return {
    take: () => workspace.snapshot({ project: tree, tree, key: `k${String((key += 1))}`, atMs: key }),
  };
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await act();
  return performance.now() - beganMs;
}

const plainStatus = (tree: string): Promise<void> =>
  Promise.resolve(void execFileSync("git", ["-C", tree, "status"], { stdio: "ignore" }));

/** Files that were written within the last two seconds are read again; then git's index takes them. */
async function settled(take: () => Promise<unknown>): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  for (let n = 0; n < 3; n += 1) await take();
}

interface Growing {
  readonly workspace: Workspace;
  readonly tree: string;
  readonly home: string;
  readonly files: readonly string[];
  readonly take: () => Promise<unknown>;
  readonly times: number;
}

async function grow({ home, tree, files, take, times }: Growing) {
  const before = bytesOnDisk(home);
  let changedBytes = 0;
  for (let turn = 0; turn < times; turn += 1) {
    const folders = new Set<string>();
    for (let n = 0; n < CHANGED; n += 1) {
      const file = files[(turn * 7_919 + n * 1_237) % files.length] ?? "";
      const text = `changed in turn ${String(turn)}: ${String((turn * 31 + n) % 1_000)}\n`.repeat(
        20 + (turn % 30),
      );
      writeFileSync(file, text);
      changedBytes += text.length;
      for (const one of foldersAbove(tree, file)) folders.add(one);
    }
    for (const one of folders) changedBytes += treeBytes(one);
    await take();
  }
  return { times, changedBytes, grownBytes: bytesOnDisk(home) - before };
}

function foldersAbove(tree: string, file: string): string[] {
  const folders: string[] = [];
  for (let at = path.dirname(file); at.length >= tree.length; at = path.dirname(at)) folders.push(at);
  return folders;
}

/** Of git's tree of a folder: an entry is its mode, its name and its digest. */
const treeBytes = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + name.length + 28, 0);

function bytesOnDisk(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).blocks * 512, 0);
}
