import { toText } from "./byte-path.ts";
import { listSnapshot, type ListingDesk } from "./list-snapshot.ts";
import { KIND } from "./read-entry.ts";
import type { Known } from "./tree-memory.ts";
import type { Change, Comparison } from "./workspace.ts";

/** Told one by one; the rest is counted. */
const CHANGES_TOLD_MAX = 10_000;

export async function compareSnapshots(desk: ListingDesk, from: string, to: string): Promise<Comparison> {
  const [before, after] = await Promise.all([listSnapshot(desk, from), listSnapshot(desk, to)]);
  const changes: Change[] = [];
  for (const path of new Set([...before.files.keys(), ...after.files.keys()])) {
    const kind = changeOf(before.files.get(path), after.files.get(path));
    if (kind !== null) changes.push({ path: toText(path), kind });
  }
  changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { count: changes.length, changes: changes.slice(0, CHANGES_TOLD_MAX) };
}

function changeOf(before: Known | undefined, after: Known | undefined): Change["kind"] | null {
  if (before === undefined) return after === undefined ? null : "added";
  if (after === undefined) return "removed";
  if ((before.mode & KIND) !== (after.mode & KIND)) return "type";
  if (before.oid !== after.oid) return "modified";
  return before.mode === after.mode ? null : "mode";
}
