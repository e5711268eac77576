// Opens a journal, folds one run and prints what that took: node load-one-run.ts FILE RUN
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { loadKnownRun } from "../../src/runtime/load-run.ts";
import { benchWorld as world } from "../harness/bench-world.ts";
import { measureOnce } from "./measured.ts";

const [, , file = "", run = ""] = process.argv;
await measureOnce(async () => {
  const journal = await openSqliteJournal({ file, world });
  return (await loadKnownRun(journal, run)).seq;
});
