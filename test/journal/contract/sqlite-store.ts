import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Journal } from "../../../src/journal/journal.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import type { CreateStore } from "./scene.ts";

const CHANGED = "UPDATE events SET data = json_set(data, '$.detail', 'x')";
const REMOVED = "DELETE FROM events";

export const createSqliteStore: CreateStore = (world) => {
  const folder = mkdtempSync(join(tmpdir(), "journal-contract-"));
  const file = join(folder, "store.db");
  const handles: Journal[] = [];
  return Promise.resolve({
    async open() {
      const journal = await openSqliteJournal({ file, world });
      handles.push(journal);
      return journal;
    },
    async tamper(run, seq, how) {
      const db = new DatabaseSync(file);
      const change = how === "changed" ? CHANGED : REMOVED;
      const where = "WHERE key = (SELECT run_key << 32 | ? FROM runs WHERE run = ?)";
      assert.equal(db.prepare(`${change} ${where}`).run(seq, run).changes, 1);
      db.close();
    },
    async blobs() {
      const db = new DatabaseSync(file);
      const rows = db.prepare("SELECT lower(hex(digest)) AS digest FROM blobs").all();
      db.close();
      return rows.map(({ digest }) => String(digest));
    },
    async tamperBlob(digest, how) {
      const db = new DatabaseSync(file);
      const change = how === "changed" ? `UPDATE blobs SET content = '"another"'` : "DELETE FROM blobs";
      assert.equal(db.prepare(`${change} WHERE digest = unhex(?)`).run(digest).changes, 1);
      db.close();
    },
    async cleanup() {
      await Promise.all(handles.map((handle) => handle.close()));
      rmSync(folder, { recursive: true });
    },
  });
};
