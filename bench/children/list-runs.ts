// Opens a journal, lists its runs and prints what that took: node list-runs.ts FILE
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { benchWorld as world } from "../harness/bench-world.ts";
import { measureOnce } from "./measured.ts";

const [, , file = ""] = process.argv;
await measureOnce(async () => {
  const journal = await openSqliteJournal({ file, world });
  return (await journal.runs()).length;
});
