// The bare alternative to list-runs.ts: SQLite's own open, and the same rows without any check.
import { DatabaseSync } from "node:sqlite";
import { measureOnce } from "./measured.ts";

const [, , file = ""] = process.argv;
await measureOnce(() => {
  const db = new DatabaseSync(file);
  const rows = db
    .prepare(
      `SELECT r.*, h.* FROM runs r JOIN events h ON h.key =
        (SELECT max(key) FROM events WHERE key BETWEEN r.run_key << 32 AND (r.run_key + 1 << 32) - 1)
      ORDER BY r.run_key DESC`,
    )
    .all();
  return rows.length;
});
