import { isOwnPath, isTasksFile } from "../../model/settings/own-files.ts";
import { toText, type BytePath } from "./byte-path.ts";
import { listSnapshot, type ListingHandle } from "./list-snapshot.ts";
import { withoutOwnPart } from "../worktree/own-part.ts";
import { blobId, isLink, KIND } from "./read-entry.ts";
import { readObjects } from "./read-objects.ts";
import type { Known } from "./tree-memory.ts";
import type { Change, Comparison } from "../workspace.ts";

/** Reported one by one; the rest is counted. */
const CHANGES_SHOWN_MAX = 10_000;

/** Holdfast's own files are no difference, in snapshots of former versions either, which held them. */
export async function compareSnapshots(handle: ListingHandle, from: string, to: string): Promise<Comparison> {
  const [before, after] = await Promise.all([listSnapshot(handle, from), listSnapshot(handle, to)]);
  const changes: Change[] = [];
  for (const path of new Set([...before.files.keys(), ...after.files.keys()])) {
    if (isOwnPath(path)) continue;
    const [was, is] = [before.files.get(path), after.files.get(path)];
    if (changeOf(was, is) === null) continue;
    const kind = changeOf(await asWork(handle, path, was), await asWork(handle, path, is));
    if (kind !== null) changes.push({ path: toText(path), kind });
  }
  changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { count: changes.length, changes: changes.slice(0, CHANGES_SHOWN_MAX) };
}

/** A file as it is without what Holdfast has written into it. */
async function asWork(
  { store }: ListingHandle,
  path: BytePath,
  known: Known | undefined,
): Promise<Known | undefined> {
  if (known === undefined || !isTasksFile(path) || isLink(known.mode)) return known;
  const blob = (await readObjects(store.gitDir, [known.oid]))?.get(known.oid);
  if (blob === undefined) return known;
  const bytes = withoutOwnPart(path, blob.bytes);
  return bytes === null ? undefined : { mode: known.mode, oid: blobId(bytes) };
}

function changeOf(before: Known | undefined, after: Known | undefined): Change["kind"] | null {
  if (before === undefined) return after === undefined ? null : "added";
  if (after === undefined) return "removed";
  if ((before.mode & KIND) !== (after.mode & KIND)) return "type";
  if (before.oid !== after.oid) return "modified";
  return before.mode === after.mode ? null : "mode";
}
