import type { DatabaseSync } from "node:sqlite";

/** Several statements that see the store at one instant, no matter what other processes write meanwhile. */
export function inOneLook<T>(db: DatabaseSync, look: () => T): T {
  if (db.isTransaction) return look();
  db.exec("BEGIN");
  try {
    return look();
  } finally {
    db.exec("COMMIT");
  }
}
