import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** A map that is also rows of one tree in a table: read whole once, written back by the rows that were touched. */
export class RowMap<Value> {
  readonly #values = new Map<string, Value>();
  readonly #touched = new Set<string>();
  readonly #shape: RowShape<Value>;

  constructor(shape: RowShape<Value>) {
    this.#shape = shape;
  }

  get size(): number {
    return this.#values.size;
  }

  get(path: string): Value | undefined {
    return this.#values.get(path);
  }

  has(path: string): boolean {
    return this.#values.has(path);
  }

  set(path: string, value: Value): void {
    this.#values.set(path, value);
    this.#touched.add(path);
  }

  delete(path: string): void {
    if (this.#values.delete(path)) this.#touched.add(path);
  }

  clear(): void {
    for (const path of this.#values.keys()) this.#touched.add(path);
    this.#values.clear();
  }

  keys(): string[] {
    return [...this.#values.keys()];
  }

  entries(): IterableIterator<[string, Value]> {
    return this.#values.entries();
  }

  load(db: DatabaseSync, tree: string): void {
    const { table, columns, fromRow } = this.#shape;
    const rows = db.prepare(`SELECT path, ${columns.join(", ")} FROM ${table} WHERE tree = ?`).all(tree);
    for (const row of rows) this.#values.set(String(row["path"]), fromRow(row));
  }

  /** Within the caller's transaction. */
  save(db: DatabaseSync, tree: string): void {
    if (this.#touched.size === 0) return;
    const { table, columns, toRow } = this.#shape;
    const marks = columns.map(() => "?").join(", ");
    const put = db.prepare(
      `INSERT OR REPLACE INTO ${table} (tree, path, ${columns.join(", ")}) VALUES (?, ?, ${marks})`,
    );
    const drop = db.prepare(`DELETE FROM ${table} WHERE tree = ? AND path = ?`);
    for (const path of this.#touched) {
      const value = this.#values.get(path);
      if (value === undefined) drop.run(tree, path);
      else put.run(tree, path, ...toRow(value));
    }
    this.#touched.clear();
  }
}

export interface RowShape<Value> {
  readonly table: string;
  readonly columns: readonly string[];
  readonly fromRow: (row: Record<string, unknown>) => Value;
  readonly toRow: (value: Value) => SQLInputValue[];
}
