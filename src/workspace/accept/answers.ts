import type { ProjectStore } from "../snapshot/project-store.ts";

/** What was answered to an order of a kind under its key; null where it was not finished. */
export function recordedAnswer<T>(store: ProjectStore, kind: string, key: string): T | null {
  const row = store.db.prepare("SELECT answer FROM done WHERE key = ?").get(`${kind}:${key}`);
  return row === undefined ? null : (JSON.parse(String(row["answer"])) as T);
}

export function recordAnswer<T>(store: ProjectStore, kind: string, key: string, answer: T): T {
  store.db
    .prepare("INSERT OR REPLACE INTO done (key, answer) VALUES (?, ?)")
    .run(`${kind}:${key}`, JSON.stringify(answer));
  return answer;
}
