import { existsSync } from "node:fs";
import { compareSnapshots } from "../snapshot/compare-snapshots.ts";
import { inTransaction } from "../snapshot/project-store.ts";
import type { SnapshotHandle } from "../snapshot/snapshot-handle.ts";
import type { OverlapOrder, Overlaps } from "./overlap-orders.ts";

/** So many names are listed of each overlap; the rest is counted. */
const FILES_NAMED_MAX = 100;

interface Row {
  readonly tree: string;
  readonly run: string;
  readonly since: number;
  readonly state: string;
  readonly files: readonly string[];
}

/**
 * What a tree's work has changed, held against what the other standing trees of the project have reported. The names
 * are found once per snapshot; after that only lists are compared.
 */
export async function findOverlaps(handle: SnapshotHandle, order: OverlapOrder): Promise<Overlaps> {
  const { tree, run, since, base, snapshot } = order;
  const { db } = handle.store;
  const state = `${base} ${snapshot}`;
  const known = readRows(handle).find((row) => row.tree === tree);
  const files =
    known?.state === state
      ? known.files
      : (await compareSnapshots(handle, base, snapshot)).changes.map(({ path }) => path);
  if (known?.state !== state)
    inTransaction(db, () =>
      db
        .prepare("INSERT OR REPLACE INTO work (tree, run, since, state, files) VALUES (?, ?, ?, ?, ?)")
        .run(tree, run, since, state, JSON.stringify(files)),
    );
  const own = new Set(files);
  const peers = readRows(handle).flatMap((row) => {
    if (row.tree === tree || row.run === run || !existsSync(row.tree)) return [];
    const common = row.files.filter((file) => own.has(file));
    if (common.length === 0) return [];
    return [
      { run: row.run, since: row.since, files: common.slice(0, FILES_NAMED_MAX), count: common.length },
    ];
  });
  return { own: files.length, peers };
}

const readRows = ({ store }: SnapshotHandle): Row[] =>
  store.db
    .prepare("SELECT tree, run, since, state, files FROM work ORDER BY since, run")
    .all()
    .map((row) => ({
      tree: String(row["tree"]),
      run: String(row["run"]),
      since: Number(row["since"]),
      state: String(row["state"]),
      files: JSON.parse(String(row["files"])) as string[],
    }));

/** A tree that is gone has nothing to be taken in. */
export function forgetWork({ store }: SnapshotHandle, tree: string): void {
  store.db.prepare("DELETE FROM work WHERE tree = ?").run(tree);
}
