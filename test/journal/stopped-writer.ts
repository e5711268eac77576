// Takes a run and is stopped in the middle of a transaction: node stopped-writer.ts FILE
import { DatabaseSync } from "node:sqlite";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { realWorld } from "../../src/real-world.ts";

const [file = ""] = process.argv.slice(2);
const world = realWorld();
const journal = await openSqliteJournal({ file, world });
await journal.claim("run_a", { id: "own_stopped", process: world.self });
const db = new DatabaseSync(file);
db.exec("BEGIN IMMEDIATE");
process.stdout.write("holding\n", () => process.kill(process.pid, "SIGSTOP"));
setInterval(() => undefined, 1_000);
