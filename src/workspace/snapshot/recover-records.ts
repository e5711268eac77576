import { inTransaction, type ProjectStore } from "./project-store.ts";
import { runGit } from "../git/run-git.ts";
import type { Snapshot } from "../workspace.ts";

const FORMAT = "%(objectname)%00%(refname)%00%(tree)%00%(contents)%00";

/** A store whose records were lost still has its snapshots: each commit tells what it is. */
export async function recoverRecords(store: ProjectStore): Promise<void> {
  const known = store.db.prepare("SELECT count(*) AS count FROM snapshot").get();
  if (Number(known?.["count"]) > 0) return;
  await recordRefs(store, "refs/holdfast/snapshots");
}

/** Takes into the records what stands under refs and is not there yet. */
export async function recordRefs(store: ProjectStore, under: string): Promise<void> {
  const args = ["for-each-ref", `--format=${FORMAT}`, under];
  const { output } = await runGit({ gitDir: store.gitDir, args });
  const fields = output.toString().split("\0");
  const rows: { ref: string; snapshot: Snapshot }[] = [];
  for (let at = 0; at + 4 <= fields.length - 1; at += 4) {
    const [id = "", ref = "", digest = "", text = ""] = fields.slice(at, at + 4).map((field) => field.trim());
    const facts = JSON.parse(text) as Snapshot;
    rows.push({ ref, snapshot: { ...facts, id, digest, files: await filesOf(store, id) } });
  }
  inTransaction(store.db, () => {
    for (const { ref, snapshot } of rows) {
      store.db
        .prepare("INSERT OR IGNORE INTO snapshot (key, id, at, facts) VALUES (?, ?, ?, ?)")
        .run(snapshot.key, snapshot.id, snapshot.atMs, JSON.stringify(snapshot));
      store.db.prepare("INSERT OR IGNORE INTO held (id, ref) VALUES (?, ?)").run(snapshot.id, ref);
    }
  });
}

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

async function filesOf({ gitDir }: ProjectStore, id: string): Promise<string> {
  const args = ["rev-parse", "--verify", "--quiet", `${id}:files`];
  const { code, output } = await runGit({ gitDir, args, answers: [1, 128] });
  return code === 0 ? output.toString().trim() : EMPTY_TREE;
}
