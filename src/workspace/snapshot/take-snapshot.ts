import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { toText, type BytePath } from "./byte-path.ts";
import { findChanges } from "../accept/find-changes.ts";
import { hashOf } from "./hash-of.ts";
import type { ImportedIds } from "./import-stream.ts";
import { flushIndex, loadFiles } from "../git/index-flush.ts";
import { inTransaction, type ProjectStore } from "./project-store.ts";
import { readChanges, type ReadChanges } from "../accept/read-changes.ts";
import { compactWhenDue, holdRef, isHeld } from "./retention.ts";
import { runGit } from "../git/run-git.ts";
import type { SnapshotHandle } from "./snapshot-handle.ts";
import { TreeMemory, type TreeFacts } from "./tree-memory.ts";
import { findRepository, readHead } from "../git/user-repository.ts";
import { packsOf, verifyPacks } from "./verify-snapshot.ts";
import {
  DEFAULT_SNAPSHOT_RULES,
  type Skipped,
  type Snapshot,
  type SnapshotOrder,
  type SnapshotRules,
} from "../workspace.ts";

/** Kept of the list of what was skipped, for people; the commit holds all of it. */
const SKIPPED_SHOWN_MAX = 100;

/** To be called while the store is held. */
export async function takeSnapshot(handle: SnapshotHandle, order: SnapshotOrder): Promise<Snapshot> {
  const recorded = recordedSnapshot(handle.store, order.key);
  if (recorded !== null) return recorded;
  const rules = { ...DEFAULT_SNAPSHOT_RULES, ...order.rules };
  const name = memoryName(order.tree, rules.ignored);
  try {
    return await take(handle, { ...order, rules }, name);
  } catch (error) {
    handle.memories.delete(name);
    throw error;
  }
}

const memoryName = (tree: string, ignored: SnapshotRules["ignored"]): string => hashOf(`${ignored}\0${tree}`);

const indexOf = (store: ProjectStore, name: string): string => path.join(store.folder, `index-${name}`);

/** Of a tree that is gone nothing need be remembered but its snapshots. */
export function forgetTree({ store, memories }: SnapshotHandle, tree: string): void {
  for (const name of [memoryName(tree, "skip"), memoryName(tree, "keep")]) {
    memories.delete(name);
    inTransaction(store.db, () => {
      for (const table of ["tree", "folder", "recent", "odd", "aside"])
        store.db.prepare(`DELETE FROM ${table} WHERE tree = ?`).run(name);
    });
    rmSync(indexOf(store, name), { force: true });
  }
}

type FullOrder = SnapshotOrder & { readonly rules: typeof DEFAULT_SNAPSHOT_RULES };

async function take(handle: SnapshotHandle, order: FullOrder, name: string): Promise<Snapshot> {
  const { store, world } = handle;
  const { tree, rules } = order;
  const index = indexOf(store, name);
  const memory = await rememberTree(handle, name, index);
  const nowMs = world.now();
  const repository = findRepository(tree);
  const excludesFile = repository === null ? "/dev/null" : path.join(repository.commonDir, "info", "exclude");
  const { gitDir } = store;
  world.crashPoint("workspace.snapshot.before");
  const scan = await findChanges({ gitDir, index, tree, memory, rules, nowMs, excludesFile });
  const changes = await readChanges({ gitDir, tree, memory, rules, nowMs, scan });
  const facts = snapshotFacts(order, memory, changes);
  // One ref holds one commit: what a key held before stays held by its own ref until it is released.
  const held = order.again === true ? `${order.key}\0${world.id("snapshot")}` : order.key;
  const ref = `refs/holdfast/snapshots/${hashOf(held)}`;
  const base = await importChanges(handle, { changes, memory, ref, facts, atMs: order.atMs });
  const snapshot: Snapshot = { ...facts, id: base.id, digest: base.digest, files: base.files };
  memory.facts = { ...memory.facts, base: { id: base.id, digest: base.digest, files: base.files } };
  inTransaction(store.db, () => {
    store.db
      .prepare("INSERT INTO snapshot (key, id, at, facts) VALUES (?, ?, ?, ?)")
      .run(order.key, base.id, order.atMs, JSON.stringify(snapshot));
    holdRef(store, base.id, ref);
    memory.save(store.db, name);
  });
  world.crashPoint("workspace.snapshot.after");
  await flushIndex({
    gitDir,
    index,
    tree,
    memory,
    nowMs,
    recentMax: handle.recentMax,
    save: () => inTransaction(store.db, () => memory.save(store.db, name)),
  });
  await compactWhenDue(store);
  return snapshot;
}

async function rememberTree(handle: SnapshotHandle, name: string, index: string): Promise<TreeMemory> {
  const { store, memories } = handle;
  const row = store.db.prepare("SELECT generation FROM tree WHERE tree = ?").get(name);
  const known = memories.get(name);
  if (known !== undefined && row !== undefined && Number(row["generation"]) === known.generation)
    return known;
  const memory = new TreeMemory();
  memory.load(store.db, name);
  if (memory.facts.base !== null) await loadFiles(store.gitDir, index, memory);
  else if (existsSync(index)) rmSync(index);
  memories.set(name, memory);
  return memory;
}

interface ImportOrder {
  readonly changes: ReadChanges;
  readonly memory: TreeMemory;
  readonly ref: string;
  readonly facts: object;
  readonly atMs: number;
}

async function importChanges(
  { store, world }: SnapshotHandle,
  { changes, memory, ref, facts, atMs }: ImportOrder,
): Promise<NonNullable<TreeFacts["base"]>> {
  const { base } = memory.facts;
  if (base !== null && changes.stream === null) {
    if (!isHeld(store, base.id)) await runGit({ gitDir: store.gitDir, args: ["update-ref", ref, base.id] });
    return base;
  }
  const { removed, files, inline } = changes.commit;
  const packs = packsOf(store.gitDir);
  const ids: ImportedIds = await changes.openStream().commit({
    ref,
    message: `${JSON.stringify(facts)}\n`,
    atMs,
    base: base?.digest ?? null,
    removed,
    files,
    inline,
  });
  world.crashPoint("workspace.snapshot.imported");
  verifyPacks(store.gitDir, packs);
  world.crashPoint("workspace.snapshot.verified");
  return ids;
}

function snapshotFacts(
  order: FullOrder,
  memory: TreeMemory,
  { read }: ReadChanges,
): Omit<Snapshot, "id" | "digest" | "files"> {
  const skipped = skippedFacts(memory.aside.entries());
  return {
    key: order.key,
    project: order.project,
    tree: order.tree,
    atMs: order.atMs,
    note: order.note ?? null,
    head: readHead(order.tree),
    fileCount: memory.files.size,
    read,
    skipped,
    whole: skipped.count === 0,
  };
}

export function skippedFacts(entries: Iterable<[BytePath, Skipped["first"][number]["reason"]]>): Skipped {
  const all = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  const first = all.slice(0, SKIPPED_SHOWN_MAX).map(([one, reason]) => ({ path: toText(one), reason }));
  return { count: all.length, first };
}

export function recordedSnapshot(store: ProjectStore, key: string): Snapshot | null {
  const row = store.db.prepare("SELECT facts FROM snapshot WHERE key = ?").get(key);
  return row === undefined ? null : (JSON.parse(String(row["facts"])) as Snapshot);
}
