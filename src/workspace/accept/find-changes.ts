import { existsSync, lstatSync } from "node:fs";
import path from "node:path";
import { nameOf, type BytePath } from "../snapshot/byte-path.ts";
import { bytePath } from "../snapshot/byte-path.ts";
import { ignoreNothing, startIgnoreCheck, trackedThoughIgnored } from "../protect/ignore-check.ts";
import { lookAt, statText } from "../snapshot/read-entry.ts";
import { runGit } from "../git/run-git.ts";
import { refuseFollowed } from "../snapshot/special-files.ts";
import { scanFolders, withAncestors, type FolderScan } from "../protect/scan-folders.ts";
import type { TreeMemory } from "../snapshot/tree-memory.ts";
import { findRepository } from "../git/user-repository.ts";
import type { SnapshotRules } from "../workspace.ts";

export interface ChangeSearch {
  readonly gitDir: string;
  readonly index: string;
  readonly tree: string;
  readonly memory: TreeMemory;
  readonly rules: SnapshotRules;
  readonly nowMs: number;
  /** The user's ignore rules outside of any tree; need not exist. */
  readonly excludesFile: string;
}

/** Every file that may differ from the last snapshot; the others are known not to. */
export async function findChanges(search: ChangeSearch): Promise<FolderScan> {
  const { memory, rules } = search;
  // Git compares the index with the disk while the folders are looked at here, once nothing is there that it would wait for.
  let touchedByStat: Promise<BytePath[]> | undefined;
  const begin = (): void => {
    touchedByStat ??= touchedInIndex(search);
    // A scan that fails meanwhile is reported; this failure then is of no interest.
    touchedByStat.catch(() => undefined);
  };
  refuseFollowed(search.excludesFile);
  const outside = outsideRules(search);
  const rulesChanged = rules.ignored === "skip" && outside.excludes !== memory.facts.excludes;
  let scan = await scan1(search, { userIndex: outside.userIndex, all: rulesChanged, begin });
  const touched = (await touchedByStat) ?? [];
  const changedRules = [...scan.suspects, ...touched].some((one) => nameOf(one) === ".gitignore");
  if (changedRules && !rulesChanged && rules.ignored === "skip" && memory.facts.base !== null) {
    const again = await scan1(search, { userIndex: outside.userIndex, all: true, begin });
    scan = merged(scan, again);
  }
  for (const one of touched) scan.suspects.add(one);
  for (const [one, recent] of memory.recent.entries()) if (recent !== null) scan.suspects.add(one);
  for (const one of memory.aside.keys()) scan.suspects.add(one);
  memory.facts = { ...memory.facts, ...outside };
  return scan;
}

function merged(a: FolderScan, b: FolderScan): FolderScan {
  return {
    suspects: new Set([...a.suspects, ...b.suspects]),
    touched: new Set([...a.touched, ...b.touched]),
    skipped: new Map([...a.skipped, ...b.skipped]),
  };
}

interface Scan1 {
  readonly userIndex: string;
  readonly all: boolean;
  readonly begin: () => void;
}

async function scan1(search: ChangeSearch, { userIndex, all, begin }: Scan1): Promise<FolderScan> {
  const { gitDir, tree, memory, rules, nowMs, excludesFile } = search;
  const keepsAll = rules.ignored === "keep";
  const first = memory.facts.base === null;
  const indexMoved = !keepsAll && userIndex !== memory.facts.userIndex;
  const tracked = all || first || indexMoved ? await userTracked(search) : new Set<BytePath>();
  const ignore = keepsAll ? ignoreNothing : startIgnoreCheck({ gitDir, tree, excludesFile });
  try {
    const news = indexMoved && [...tracked].some((one) => !memory.files.has(one) && !memory.folders.has(one));
    const own = rules.ignored;
    return await scanFolders({ tree, memory, ignore, tracked, nowMs, own, all: all || news, begin });
  } finally {
    ignore.end();
  }
}

async function userTracked({ gitDir, tree, rules, excludesFile }: ChangeSearch): Promise<Set<BytePath>> {
  const repository = rules.ignored === "keep" ? null : findRepository(tree);
  if (repository === null) return new Set();
  const userIndex = path.join(repository.gitDir, "index");
  if (!existsSync(userIndex)) return new Set();
  refuseFollowed(userIndex);
  return withAncestors(await trackedThoughIgnored({ gitDir, tree, userIndex, excludesFile }));
}

/** Files of the index that git finds touched: changed, or gone. */
async function touchedInIndex({ gitDir, index, tree }: ChangeSearch): Promise<BytePath[]> {
  if (!existsSync(index)) return [];
  const { output } = await runGit({ gitDir, tree, index, args: ["diff-files", "-z", "--name-only"] });
  return bytePath(output)
    .split("\0")
    .filter((one) => one !== "");
}

/** What else decides on ignored files: the user's own rules and index. Texts that change when those do. */
function outsideRules({ tree, excludesFile }: ChangeSearch): { excludes: string; userIndex: string } {
  const repository = findRepository(tree);
  const text = (file: string): string => {
    const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? "none" : [stat.mtimeNs, stat.ctimeNs, stat.ino, stat.size].join(":");
  };
  return {
    excludes: text(excludesFile),
    userIndex: repository === null ? "none" : text(path.join(repository.gitDir, "index")),
  };
}

export const stillTheSame = (tree: string, path: BytePath, stat: string, nowMs: number): boolean => {
  if (stat === "") return false;
  const now = lookAt(tree, path);
  return now !== undefined && statText(now, nowMs) === stat;
};
