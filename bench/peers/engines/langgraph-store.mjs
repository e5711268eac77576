import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Database from "better-sqlite3";

/** The published SQLite checkpointer; `full` makes its commits survive a power cut, as Holdfast's do. */
export function openSaver({ folder, full }) {
  const db = new Database(`${folder}/langgraph.db`);
  db.pragma("journal_mode = WAL");
  db.pragma(`synchronous = ${full ? "FULL" : "NORMAL"}`);
  return { saver: new SqliteSaver(db), close: () => db.close() };
}

export const threadOf = (id) => ({ configurable: { thread_id: id }, durability: "sync" });
