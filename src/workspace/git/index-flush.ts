import { existsSync } from "node:fs";
import { bytePath, bytesOf, isApart, type BytePath } from "../snapshot/byte-path.ts";
import { stillTheSame } from "../accept/find-changes.ts";
import { isOdd } from "../worktree/folder-record.ts";
import { FILE, gitMode, isLink, LINK } from "../snapshot/read-entry.ts";
import { runGit } from "./run-git.ts";
import type { TreeMemory } from "../snapshot/tree-memory.ts";

/** From this many on, what was read lately moves into git's index, which then compares it faster than we could. */
export const RECENT_MAX = 256;

export interface IndexFlush {
  readonly gitDir: string;
  readonly index: string;
  readonly tree: string;
  readonly memory: TreeMemory;
  readonly nowMs: number;
  readonly recentMax: number;
  readonly save: () => void;
}

/**
 * Moves recent files into the index. Git takes digests from us and compares the files' bytes with them itself; what
 * differs by then stays marked as touched. Dying after the index was replaced leaves both saying the same.
 */
export async function flushIndex({
  gitDir,
  index,
  tree,
  memory,
  nowMs,
  recentMax,
  save,
}: IndexFlush): Promise<void> {
  // What may yet change unseen stays with us: git compares times by the second, and we by the nanosecond.
  const moving = [...memory.recent.entries()].filter(
    ([path, recent]) => !isApart(path, recent !== null && isLink(recent.mode)) && recent?.stat !== "",
  );
  if (moving.length <= recentMax) return;
  const removals = moving.filter(([, recent]) => recent === null);
  const additions = moving.filter(([, recent]) => recent !== null);
  const lines = [
    ...removals.map(([path]) => `0 ${"0".repeat(40)}\t${path}\0`),
    ...additions.map(([path, recent]) =>
      recent === null ? "" : `${gitMode(recent.mode)} ${recent.oid}\t${path}\0`,
    ),
  ];
  const input = bytesOf(lines.join(""));
  await runGit({
    gitDir,
    tree,
    index,
    input,
    args: ["update-index", "--add", "--remove", "-z", "--index-info"],
  });
  await runGit({ gitDir, tree, index, args: ["update-index", "-q", "--refresh"], answers: [1] });
  for (const [path, recent] of moving) {
    if (recent !== null && !stillTheSame(tree, path, recent.stat, nowMs)) continue;
    memory.recent.delete(path);
    if (recent !== null && isOdd(recent.mode)) memory.odd.set(path, recent.mode);
    else memory.odd.delete(path);
  }
  save();
}

/** All files of the last snapshot: those of the index, with what was read lately laid over them. */
export async function loadFiles(gitDir: string, index: string, memory: TreeMemory): Promise<void> {
  if (existsSync(index)) {
    const { output } = await runGit({ gitDir, index, args: ["ls-files", "-s", "-z"] });
    for (const line of bytePath(output).split("\0")) {
      const [path, known] = parseLine(line, memory);
      if (path !== "") memory.put(path, known);
    }
  }
  for (const [path, recent] of memory.recent.entries())
    if (recent === null) memory.drop(path);
    else memory.put(path, { mode: recent.mode, oid: recent.oid });
}

/** `MODE OID STAGE<tab>PATH` */
function parseLine(line: string, memory: TreeMemory): [BytePath, { mode: number; oid: string }] {
  const tab = line.indexOf("\t");
  const [mode = "", oid = ""] = line.slice(0, Math.max(0, tab)).split(" ");
  const path = tab === -1 ? "" : line.slice(tab + 1);
  const expected = mode === "120000" ? LINK : FILE | (mode === "100755" ? 0o755 : 0o644);
  return [path, { mode: memory.odd.get(path) ?? expected, oid }];
}
