import { Fault } from "../../model/fault.ts";
import { bytePath, parentOf, type BytePath } from "./byte-path.ts";
import {
  folderOfRecord,
  folderPermissions,
  parseRecord,
  pathOfApart,
  PLAIN,
  PROGRAM,
  recordedPermissions,
  type FolderRecord,
} from "../worktree/folder-record.ts";
import { FILE, FOLDER, LINK } from "./read-entry.ts";
import { readObjects } from "./read-objects.ts";
import { runGit } from "../git/run-git.ts";
import type { Known } from "./tree-memory.ts";

/** All that a snapshot holds. */
export interface SnapshotListing {
  readonly files: Map<BytePath, Known>;
  /** With their full modes; the tree itself is `""`. */
  readonly folders: Map<BytePath, number>;
  /** What the snapshot knew of and did not take. */
  readonly skipped: Set<BytePath>;
}

interface StoredEntry {
  readonly mode: string;
  readonly oid: string;
  readonly path: BytePath;
}

export interface ListingHandle {
  readonly store: { readonly gitDir: string };
  readonly listings: Map<string, SnapshotListing>;
}

const LISTINGS_MAX = 3;

export async function listSnapshot(handle: ListingHandle, id: string): Promise<SnapshotListing> {
  const { listings, store } = handle;
  const listing = listings.get(id) ?? (await readListing(store.gitDir, id));
  listings.delete(id);
  listings.set(id, listing);
  for (const oldest of [...listings.keys()].slice(0, -LISTINGS_MAX)) listings.delete(oldest);
  return listing;
}

async function readListing(gitDir: string, id: string): Promise<SnapshotListing> {
  const stored = await storedEntries(gitDir, id);
  const records = await readRecords(gitDir, within(stored, "folders/"));
  const files = new Map<BytePath, Known>();
  const add = (path: BytePath, { mode, oid }: StoredEntry): void => {
    const expected = mode === "100755" ? PROGRAM : PLAIN;
    const permissions = recordedPermissions(records.get(parentOf(path)), path, expected);
    files.set(path, { oid, mode: mode === "120000" ? LINK : FILE | permissions });
  };
  for (const entry of within(stored, "files/")) add(entry.path, entry);
  for (const entry of within(stored, "apart/")) add(pathOfApart(entry.path), entry);
  return { files, folders: listFolders(files, records), skipped: await readSkipped(gitDir, stored) };
}

const within = (entries: readonly StoredEntry[], prefix: string): StoredEntry[] =>
  entries
    .filter(({ path }) => path.startsWith(prefix))
    .map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }));

async function storedEntries(gitDir: string, id: string): Promise<StoredEntry[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", id];
  const { code, output } = await runGit({ gitDir, args, answers: [128] });
  if (code !== 0) throw notFound(id);
  return bytePath(output)
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => {
      const tab = line.indexOf("\t");
      const [mode = "", , oid = ""] = line.slice(0, tab).split(" ");
      return { mode, oid, path: line.slice(tab + 1) };
    });
}

export const notFound = (id: string): Fault =>
  new Fault(
    "not_found",
    `there is no whole snapshot ${id} in this project's store; expected the id of one that was kept: list them, or fetch it from the shared remote`,
  );

async function readRecords(
  gitDir: string,
  entries: readonly StoredEntry[],
): Promise<Map<BytePath, FolderRecord>> {
  const blobs = await readObjects(gitDir, [...new Set(entries.map(({ oid }) => oid))]);
  const records = new Map<BytePath, FolderRecord>();
  for (const { path, oid } of entries) {
    const blob = blobs?.get(oid);
    if (blob === undefined) throw notFound(oid);
    records.set(folderOfRecord(path), parseRecord(blob.bytes));
  }
  return records;
}

function listFolders(
  files: ReadonlyMap<BytePath, Known>,
  records: ReadonlyMap<BytePath, FolderRecord>,
): Map<BytePath, number> {
  const folders = new Map<BytePath, number>();
  const add = (folder: BytePath): void => {
    for (let at = folder; !folders.has(at); at = parentOf(at)) {
      folders.set(at, FOLDER | folderPermissions(records.get(at)));
      if (at === "") return;
    }
  };
  add("");
  for (const path of files.keys()) add(parentOf(path));
  for (const folder of records.keys()) add(folder);
  return folders;
}

async function readSkipped(gitDir: string, stored: readonly StoredEntry[]): Promise<Set<BytePath>> {
  const entry = stored.find(({ path }) => path === "skipped");
  const blob = entry === undefined ? undefined : (await readObjects(gitDir, [entry.oid]))?.get(entry.oid);
  const lines = blob === undefined ? [] : bytePath(blob.bytes).split("\n").filter(Boolean);
  return new Set(lines.map((line) => (JSON.parse(line) as [BytePath])[0]));
}
