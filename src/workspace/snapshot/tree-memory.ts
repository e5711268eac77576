import type { DatabaseSync } from "node:sqlite";
import type { BytePath } from "./byte-path.ts";
import { RowMap } from "./row-map.ts";
import type { SkipReason } from "../workspace.ts";

/** A file as the last snapshot holds it. `mode` has all permission bits and the kind. */
export interface Known {
  readonly mode: number;
  readonly oid: string;
}

/** A file whose state git's index does not show: read lately, or apart from git's trees. */
export interface Recent extends Known {
  /** Equal as long as the file was not touched; empty where it may have been touched within the clock's grain. */
  readonly stat: string;
}

export interface KnownFolder {
  readonly stat: string;
  readonly mode: number;
}

/**
 * What is known of one tree since its last snapshot, so that the next one reads only what changed.
 *
 * It lives in the store's database and is a cache: without it everything is read again. The files are in two places:
 * git's index of this tree, which git compares with the disk faster than anybody, and `recent`, which is laid over it.
 */
export class TreeMemory {
  readonly folders = new RowMap<KnownFolder>({
    table: "folder",
    columns: ["stat", "mode"],
    fromRow: (row) => ({ stat: String(row["stat"]), mode: Number(row["mode"]) }),
    toRow: ({ stat, mode }) => [stat, mode],
  });
  /** Null: the file is in the index, and gone. */
  readonly recent = new RowMap<Recent | null>({
    table: "recent",
    columns: ["stat", "mode", "oid"],
    fromRow: (row) =>
      typeof row["oid"] !== "string"
        ? null
        : { stat: String(row["stat"]), mode: Number(row["mode"]), oid: row["oid"] },
    toRow: (value) => (value === null ? ["", 0, null] : [value.stat, value.mode, value.oid]),
  });
  /** Permissions of files in the index that are neither 644 nor 755. */
  readonly odd = new RowMap<number>({
    table: "odd",
    columns: ["mode"],
    fromRow: (row) => Number(row["mode"]),
    toRow: (mode) => [mode],
  });
  /** What the last snapshot skipped. */
  readonly aside = new RowMap<SkipReason>({
    table: "aside",
    columns: ["reason"],
    fromRow: (row) => row["reason"] as SkipReason,
    toRow: (reason) => [reason],
  });
  readonly files = new Map<BytePath, Known>();
  readonly namesIn = new Map<BytePath, Set<BytePath>>();
  facts: TreeFacts = EMPTY;
  generation = 0;

  put(path: BytePath, known: Known): void {
    this.files.set(path, known);
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    const names = this.namesIn.get(folder) ?? new Set<BytePath>();
    names.add(path);
    this.namesIn.set(folder, names);
  }

  drop(path: BytePath): void {
    this.files.delete(path);
    this.namesIn.get(path.slice(0, Math.max(0, path.lastIndexOf("/"))))?.delete(path);
  }

  load(db: DatabaseSync, tree: string): void {
    const row = db.prepare("SELECT generation, facts FROM tree WHERE tree = ?").get(tree);
    if (row === undefined) return;
    this.generation = Number(row["generation"]);
    this.facts = JSON.parse(String(row["facts"])) as TreeFacts;
    for (const map of [this.folders, this.recent, this.odd, this.aside]) map.load(db, tree);
  }

  /** Within the caller's transaction. */
  save(db: DatabaseSync, tree: string): void {
    this.generation += 1;
    db.prepare("INSERT OR REPLACE INTO tree (tree, generation, facts) VALUES (?, ?, ?)").run(
      tree,
      this.generation,
      JSON.stringify(this.facts),
    );
    for (const map of [this.folders, this.recent, this.odd, this.aside]) map.save(db, tree);
  }
}

export interface TreeFacts {
  /** The commit and the tree of the last snapshot. */
  readonly base: { readonly id: string; readonly digest: string; readonly files: string } | null;
  /** What the ignore rules outside the tree looked like. */
  readonly excludes: string;
  /** What the user's index looked like. */
  readonly userIndex: string;
}

const EMPTY: TreeFacts = { base: null, excludes: "", userIndex: "" };
