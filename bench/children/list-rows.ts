// The bare alternative to list-runs.ts: SQLite's own open, and the same rows without any check.
import { DatabaseSync } from "node:sqlite";
import { measureOnce } from "./measured.ts";

const [, , file = ""] = process.argv;
await measureOnce(() => {
  const db = new DatabaseSync(file);
  const rows = db.prepare("SELECT * FROM runs JOIN heads USING (run_key) ORDER BY run_key DESC").all();
  return rows.length;
});
