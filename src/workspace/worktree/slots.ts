import { mkdirSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../files/open-database.ts";

/** Numbers for standing worktrees, the same for the same tree, in all projects of one home. */
export interface Slots {
  take(tree: string): number;
  free(tree: string): void;
}

export function openSlots(home: string): Slots {
  const withRows = <T>(act: (db: DatabaseSync) => T): T => {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const db = openDatabase(path.join(home, "slots.db"));
    try {
      db.exec("PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE");
      db.exec("CREATE TABLE IF NOT EXISTS slot (number INTEGER PRIMARY KEY, tree TEXT NOT NULL UNIQUE)");
      const value = act(db);
      db.exec("COMMIT");
      return value;
    } finally {
      db.close();
    }
  };
  return {
    take: (tree) =>
      withRows((db) => {
        const rows = db.prepare("SELECT number, tree FROM slot ORDER BY number").all();
        const own = rows.find((row) => row["tree"] === tree);
        if (own !== undefined) return Number(own["number"]);
        const taken = new Set(rows.map((row) => Number(row["number"])));
        let number = 0;
        while (taken.has(number)) number += 1;
        db.prepare("INSERT INTO slot (number, tree) VALUES (?, ?)").run(number, tree);
        return number;
      }),
    free: (tree) => {
      withRows((db) => db.prepare("DELETE FROM slot WHERE tree = ?").run(tree));
    },
  };
}
