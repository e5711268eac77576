import { readdirSync } from "node:fs";
import path from "node:path";
import { forgetFreeing, noteFreeing } from "../git/orphaned-git.ts";
import { inTransaction, type ProjectStore } from "./project-store.ts";
import { LONG_LIMIT_MS, runGit } from "../git/run-git.ts";
import type { SnapshotHandle } from "./snapshot-handle.ts";
import type { Released, ReleaseOrder } from "../workspace.ts";

/** One import, one pack: from this many on they are put together, the small ones first, so that the work stays small. */
const PACKS_MAX = 24;

export const holdRef = (store: ProjectStore, id: string, ref: string): void => {
  store.db.prepare("INSERT OR IGNORE INTO held (id, ref) VALUES (?, ?)").run(id, ref);
};

export const isHeld = (store: ProjectStore, id: string): boolean =>
  store.db.prepare("SELECT 1 FROM held WHERE id = ?").get(id) !== undefined;

/** Forgets records; then drops the refs that hold what no record names any more; then frees their objects. */
export async function releaseSnapshots(
  { store, world }: SnapshotHandle,
  order: ReleaseOrder,
): Promise<Released> {
  const drop = store.db.prepare("DELETE FROM snapshot WHERE key = ?");
  const released = inTransaction(store.db, () =>
    order.keys.reduce((count, key) => count + Number(drop.run(key).changes), 0),
  );
  world.crashPoint("workspace.release.records");
  await dropUnnamed(store);
  world.crashPoint("workspace.release.refs");
  if (released === 0) return { released };
  await renewRefs(store);
  await compact(store, "all");
  return { released };
}

async function dropUnnamed({ db, gitDir }: ProjectStore): Promise<void> {
  const rows = db
    .prepare(
      "SELECT id, ref FROM held WHERE id NOT IN (SELECT id FROM snapshot UNION SELECT json_extract(facts, '$.base.id') FROM tree WHERE json_extract(facts, '$.base.id') IS NOT NULL)",
    )
    .all();
  if (rows.length === 0) return;
  const input = rows.map((row) => `delete ${String(row["ref"])}\n`).join("");
  await runGit({ gitDir, input, args: ["update-ref", "--stdin"] });
  inTransaction(db, () => {
    for (const row of rows) db.prepare("DELETE FROM held WHERE id = ?").run(String(row["id"]));
  });
}

/** Refs are not synced one by one; the records are. What the records hold must be held when objects are freed. */
async function renewRefs({ db, gitDir }: ProjectStore): Promise<void> {
  const rows = db.prepare("SELECT id, ref FROM held").all();
  const input = rows.map((row) => `update ${String(row["ref"])} ${String(row["id"])}\n`).join("");
  await runGit({ gitDir, input, args: ["update-ref", "--stdin"] });
}

/** Puts packs and refs together. New packs stand before old ones go; a crash leaves both. */
export async function compact({ folder, gitDir }: ProjectStore, what: "small" | "all"): Promise<void> {
  const rolled = what === "all" ? ["-a"] : ["--geometric=2"];
  const started = (pid: number): void => noteFreeing(folder, pid);
  await runGit({ gitDir, args: ["repack", "-d", "-q", ...rolled], started, limitMs: LONG_LIMIT_MS });
  forgetFreeing(folder);
  await runGit({ gitDir, args: ["pack-refs", "--all"] });
}

export async function compactWhenDue(store: ProjectStore): Promise<void> {
  const packs = readdirSync(path.join(store.gitDir, "objects", "pack")).filter((name) =>
    name.endsWith(".pack"),
  );
  if (packs.length > PACKS_MAX) await compact(store, "small");
}
