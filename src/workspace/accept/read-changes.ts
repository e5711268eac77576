import { isOwnFolder, isOwnPath } from "../../model/settings/own-files.ts";
import { bytesOf, isApart, parentOf, type BytePath } from "../snapshot/byte-path.ts";
import { stillTheSame } from "./find-changes.ts";
import { folderRecord, isOdd, recordBytes, recordPath, storedPath } from "../worktree/folder-record.ts";
import { ImportStream, type ImportedCommit } from "../snapshot/import-stream.ts";
import { blobId, gitMode, isLink, readEntry, type Reading } from "../snapshot/read-entry.ts";
import { withoutOwnPart } from "../worktree/own-part.ts";
import type { FolderScan } from "../protect/scan-folders.ts";
import type { TreeMemory } from "../snapshot/tree-memory.ts";
import type { SkipReason, SnapshotRules } from "../workspace.ts";

export interface ReadOrder {
  readonly gitDir: string;
  readonly tree: string;
  readonly memory: TreeMemory;
  readonly rules: SnapshotRules;
  readonly nowMs: number;
  readonly scan: FolderScan;
}

/** The differences from the last snapshot; their bytes are already on the way into the store. */
export class ReadChanges {
  readonly commit = {
    removed: [] as BytePath[],
    files: [] as ImportedCommit["files"][number][],
    inline: [] as ImportedCommit["inline"][number][],
  };
  read = { files: 0, bytes: 0 };
  stream: ImportStream | null = null;
  readonly #gitDir: string;

  constructor(gitDir: string) {
    this.#gitDir = gitDir;
  }

  openStream(): ImportStream {
    this.stream ??= new ImportStream(this.#gitDir);
    return this.stream;
  }
}

/** Reads what may have changed, and brings the memory up to date with it. */
export async function readChanges(order: ReadOrder): Promise<ReadChanges> {
  const { memory, scan } = order;
  const changes = new ReadChanges(order.gitDir);
  try {
    const before = skippedText(memory);
    for (const [path, reason] of scan.skipped) memory.aside.set(path, reason);
    for (const path of scan.suspects) await readSuspect(order, changes, path);
    recordFolders(order, changes);
    const skipped = skippedText(memory);
    if (skipped !== before) {
      changes.openStream();
      if (skipped === "") changes.commit.removed.push("skipped");
      else changes.commit.inline.push({ path: "skipped", bytes: bytesOf(skipped) });
    }
    return changes;
  } catch (error) {
    changes.stream?.abandon();
    throw error;
  }
}

const skippedText = (memory: TreeMemory): string =>
  [...memory.aside.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, reason]) => `${JSON.stringify([path, reason])}\n`)
    .join("");

async function readSuspect(order: ReadOrder, changes: ReadChanges, path: BytePath): Promise<void> {
  const { tree, memory, rules, nowMs, scan } = order;
  const isOwnLeft = rules.ignored === "skip" && isOwnPath(path);
  // A folder that became a link is no folder any more; what seems to be behind it is not in the tree.
  if (isOwnLeft || !memory.folders.has(parentOf(path))) {
    loseFile(order, changes, path);
    return;
  }
  const recent = memory.recent.get(path);
  if (recent !== undefined && recent !== null && stillTheSame(tree, path, recent.stat, nowMs)) return;
  const reading = bounded(
    order,
    changes,
    path,
    asWork(order, path, readEntry(tree, path, { bytesMax: rules.fileBytesMax, nowMs })),
  );
  if (reading.kind === "read" || reading.kind === "torn") {
    if (reading.kind === "torn") memory.aside.set(path, "changing");
    else memory.aside.delete(path);
    await keepFile(order, changes, path, reading);
    return;
  }
  loseFile(order, changes, path);
  if (reading.kind === "skipped") memory.aside.set(path, reading.reason);
  else if (scan.skipped.has(path)) memory.aside.set(path, scan.skipped.get(path) ?? "unreadable");
}

/** An entry without what Holdfast has written into it; one that is nothing else is no part of the work. */
function asWork({ rules }: ReadOrder, path: BytePath, reading: Reading): Reading {
  if (rules.ignored === "keep" || (reading.kind !== "read" && reading.kind !== "torn")) return reading;
  if (isLink(reading.mode)) return reading;
  const bytes = withoutOwnPart(path, reading.bytes);
  return bytes === null ? { kind: "gone" } : { ...reading, bytes };
}

/** Bounds of a whole snapshot (I7). */
function bounded(
  { memory, rules }: ReadOrder,
  { read }: ReadChanges,
  path: BytePath,
  reading: Reading,
): Reading {
  if (reading.kind !== "read" && reading.kind !== "torn") return reading;
  const over = (reason: SkipReason): Reading => ({ kind: "skipped", reason });
  if (read.bytes + reading.bytes.length > rules.newBytesMax) return over("too_much");
  if (!memory.files.has(path) && memory.files.size >= rules.filesMax) return over("too_many");
  return reading;
}

async function keepFile(
  { memory, scan }: ReadOrder,
  changes: ReadChanges,
  path: BytePath,
  { bytes, mode, stat }: Extract<Reading, { kind: "read" | "torn" }>,
): Promise<void> {
  changes.read = { files: changes.read.files + 1, bytes: changes.read.bytes + bytes.length };
  const known = memory.files.get(path);
  const oid = blobId(bytes);
  memory.recent.set(path, { stat, mode, oid });
  if (known?.oid === oid && known.mode === mode) return;
  if (known === undefined || isOdd(known.mode) || isOdd(mode) || gitMode(known.mode) !== gitMode(mode))
    scan.touched.add(parentOf(path));
  const stream = changes.openStream();
  if (known?.oid !== oid) await stream.blob(oid, bytes);
  if (known !== undefined && isApart(path, isLink(known.mode)) !== isApart(path, isLink(mode)))
    changes.commit.removed.push(storedPath(path, isApart(path, isLink(known.mode))));
  memory.put(path, { mode, oid });
  const stored = storedPath(path, isApart(path, isLink(mode)));
  changes.commit.files.push({ path: stored, mode: gitMode(mode), oid });
}

function loseFile({ memory, scan }: ReadOrder, changes: ReadChanges, path: BytePath): void {
  memory.aside.delete(path);
  const known = memory.files.get(path);
  if (known === undefined) return;
  const apart = isApart(path, isLink(known.mode));
  memory.drop(path);
  if (apart) memory.recent.delete(path);
  else memory.recent.set(path, null);
  scan.touched.add(parentOf(path));
  changes.openStream();
  changes.commit.removed.push(storedPath(path, apart));
}

function recordFolders(order: ReadOrder, changes: ReadChanges): void {
  const { memory, rules, scan } = order;
  const parentsOf = (folders: readonly BytePath[]): Set<BytePath> =>
    new Set(folders.filter((folder) => folder !== "").map(parentOf));
  const folders = [...memory.folders.keys()];
  const all = parentsOf(folders);
  const isEmpty = (folder: BytePath): boolean =>
    !all.has(folder) && (memory.namesIn.get(folder)?.size ?? 0) === 0;
  // Made by Holdfast for what is its own, such a folder stays out with it.
  const isOwn = (folder: BytePath): boolean =>
    rules.ignored === "skip" && isOwnFolder(folder) && isEmpty(folder);
  const parents = parentsOf(folders.filter((folder) => !isOwn(folder)));
  // Whether such a folder counts is part of what is recorded of the folder above it.
  const touched = new Set([...scan.touched, ...parentsOf([...scan.touched].filter(isOwnFolder))]);
  for (const folder of touched)
    recordFolder(order, changes, { folder, hasFolders: parents.has(folder), isLeft: isOwn(folder) });
}

function recordFolder(
  { memory }: ReadOrder,
  changes: ReadChanges,
  {
    folder,
    hasFolders,
    isLeft,
  }: { readonly folder: BytePath; readonly hasFolders: boolean; readonly isLeft: boolean },
): void {
  const known = memory.folders.get(folder);
  const files = [...(memory.namesIn.get(folder) ?? [])].map((path) => ({
    path,
    mode: memory.files.get(path)?.mode ?? 0,
  }));
  const record = known === undefined || isLeft ? null : folderRecord({ mode: known.mode, hasFolders, files });
  changes.openStream();
  if (record === null) changes.commit.removed.push(recordPath(folder));
  else changes.commit.inline.push({ path: recordPath(folder), bytes: recordBytes(record) });
}
