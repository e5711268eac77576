import { readdirSync, type Dirent } from "node:fs";
import {
  ancestorsOf,
  bytePath,
  joined,
  nameOf,
  onDisk,
  parentOf,
  type BytePath,
} from "../snapshot/byte-path.ts";
import { isOwnPath } from "../../model/settings/own-files.ts";
import type { IgnoreCheck } from "./ignore-check.ts";
import { FOLDER, isGone, KIND, lookAt, statText } from "../snapshot/read-entry.ts";
import { isOpenedByGit, refuseOne, refuseSpecialRules } from "../snapshot/special-files.ts";
import type { TreeMemory } from "../snapshot/tree-memory.ts";
import type { SkipReason } from "../workspace.ts";

/** What a look at the folders of a tree has shown. */
export interface FolderScan {
  /** Files that were not known, or are no longer named in their folder: to be looked at. */
  readonly suspects: Set<BytePath>;
  /** Folders of which something changed: their own mode, or what is in them. */
  readonly touched: Set<BytePath>;
  readonly skipped: Map<BytePath, SkipReason>;
}

export interface ScanOrder {
  readonly tree: string;
  readonly memory: TreeMemory;
  readonly ignore: IgnoreCheck;
  /** Kept although ignored. */
  readonly tracked: ReadonlySet<BytePath>;
  readonly nowMs: number;
  /** `skip`: what is Holdfast's own stays out, like what is ignored. */
  readonly own: "skip" | "keep";
  /** Look into every folder, because the rules changed. */
  readonly all: boolean;
  /** Called once no folder that is known holds rules that git would wait for. */
  readonly begin: () => void;
}

/**
 * Finds files that came or went. A name appears or disappears only by touching its folder, so folders that were not
 * touched since they were last read need not be read again.
 */
export async function scanFolders(order: ScanOrder): Promise<FolderScan> {
  const scan: FolderScan = { suspects: new Set(), touched: new Set(), skipped: new Map() };
  const waiting = knownFolders(order, scan);
  refuseSpecialRules(order.tree, waiting);
  order.begin();
  for (let at = 0; at < waiting.length; at += 1) {
    const folder = waiting[at];
    if (folder !== undefined) waiting.push(...(await readFolder(order, scan, folder)));
  }
  return scan;
}

const byDepth = (a: BytePath, b: BytePath): number => a.split("/").length - b.split("/").length;

/** The known folders that have to be read; those that are gone are forgotten, with what was in them. */
function knownFolders({ tree, memory, nowMs, own, all }: ScanOrder, scan: FolderScan): BytePath[] {
  // The tree itself is known from the start; an empty text says that it was never read.
  if (!memory.folders.has("")) memory.folders.set("", { stat: "", mode: 0 });
  const unread = new Set<BytePath>();
  const lost = new Set<BytePath>();
  for (const folder of memory.folders.keys().sort(byDepth)) {
    const isLeft = lost.has(parentOf(folder)) || (own === "skip" && isOwnPath(folder));
    const stat = folder !== "" && isLeft ? undefined : lookAt(tree, folder);
    if (stat === undefined || (Number(stat.mode) & KIND) !== FOLDER) {
      lost.add(folder);
      forget(memory, scan, folder);
      continue;
    }
    const text = statText(stat, nowMs);
    const known = memory.folders.get(folder);
    if (known?.mode !== Number(stat.mode)) scan.touched.add(folder);
    if (all || text === "" || text !== known?.stat) unread.add(folder);
    if (text !== known?.stat || known.mode !== Number(stat.mode))
      memory.folders.set(folder, { stat: text, mode: Number(stat.mode) });
  }
  return [...unread];
}

function forget(memory: TreeMemory, scan: FolderScan, folder: BytePath): void {
  memory.folders.delete(folder);
  for (const path of memory.namesIn.get(folder) ?? []) scan.suspects.add(path);
  scan.touched.add(folder);
  if (folder === "") return;
  scan.touched.add(parentOf(folder));
  // What stands there now, if anything, is no folder: a look at it reports.
  scan.suspects.add(folder);
}

interface Names {
  readonly files: BytePath[];
  readonly folders: BytePath[];
}

/** Reads one folder and returns the folders in it that are new. */
async function readFolder(order: ScanOrder, scan: FolderScan, folder: BytePath): Promise<BytePath[]> {
  const { tree, memory, nowMs } = order;
  const names = listFolder(order, scan, folder);
  if (names === null) return [];
  const present = new Set(names.files);
  for (const path of memory.namesIn.get(folder) ?? []) if (!present.has(path)) scan.suspects.add(path);
  const newFiles = names.files.filter((path) => !memory.files.has(path));
  const newFolders = names.folders.filter((path) => !memory.folders.has(path));
  const kept = await notIgnored(order, folder, [...newFiles, ...newFolders]);
  for (const path of newFiles) if (kept.has(path)) scan.suspects.add(path);
  const entered = newFolders.filter((path) => kept.has(path));
  for (const path of entered) {
    const stat = lookAt(tree, path);
    if (stat === undefined || (Number(stat.mode) & KIND) !== FOLDER) continue;
    memory.folders.set(path, { stat: statText(stat, nowMs), mode: Number(stat.mode) });
    scan.touched.add(path).add(folder);
  }
  return entered.filter((path) => memory.folders.has(path));
}

function listFolder({ tree, memory, own }: ScanOrder, scan: FolderScan, folder: BytePath): Names | null {
  let entries: Dirent<Buffer>[];
  try {
    entries = readdirSync(onDisk(tree, folder), { encoding: "buffer", withFileTypes: true });
  } catch (error) {
    if (isGone(error)) forget(memory, scan, folder);
    else {
      scan.skipped.set(folder, "unreadable");
      memory.folders.set(folder, { stat: "", mode: memory.folders.get(folder)?.mode ?? 0 });
    }
    return null;
  }
  const names: Names = { files: [], folders: [] };
  for (const entry of entries) {
    const path = joined(folder, bytePath(entry.name));
    // The repository of the tree itself is the user's, and no part of the tree.
    if (path === ".git" || (own === "skip" && isOwnPath(path))) continue;
    if (entry.isDirectory()) names.folders.push(path);
    else if (entry.isFile() || entry.isSymbolicLink()) names.files.push(path);
    else {
      if (isOpenedByGit(folder, nameOf(path))) refuseOne(onDisk(tree, path));
      scan.skipped.set(path, "special");
    }
  }
  return names;
}

const INSIDE_GIT = /(^|\/)\.git(\/|$)/i;

async function notIgnored(
  { ignore, tracked }: ScanOrder,
  folder: BytePath,
  paths: readonly BytePath[],
): Promise<Set<BytePath>> {
  if (paths.length === 0) return new Set();
  // Rules say nothing about the insides of a nested repository: it is kept whole or, with its folder, not at all.
  if (INSIDE_GIT.test(folder)) return new Set(paths);
  const asked = paths.filter((path) => !/^\.git$/i.test(nameOf(path)));
  const ignored = await ignore.ignored(asked);
  return new Set(paths.filter((path) => !ignored.has(path) || tracked.has(path)));
}

/** Paths with all folders above them. */
export function withAncestors(paths: readonly BytePath[]): Set<BytePath> {
  return new Set(paths.flatMap((path) => [path, ...ancestorsOf(path)]));
}
