import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scrubsOf } from "../../../src/journal/scrub-records.ts";
import { valueRemover } from "../../../src/model/events/remove-value.ts";
import { openStore } from "../../../src/open-store.ts";
import { realWorld } from "../../../src/real-world.ts";
import { LEAKED, SCRUBBED_RUN } from "./scrubbed-run.ts";
import { count, strikeBoundaries, wrong } from "../strike-boundaries.ts";

const FORMS = valueRemover(LEAKED).forms;

/** Every byte of every file, the store's log and unused pages included. */
const filesWithValue = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file);
      return FORMS.some((form) => bytes.includes(form));
    });

async function violations(folder: string): Promise<string[]> {
  const found = filesWithValue(folder);
  process.env["HOLDFAST_ANCHOR"] = join(folder, "anchors");
  const { journal } = await openStore(`sqlite:${join(folder, "journal.db")}`, realWorld());
  try {
    const events = await journal.read(SCRUBBED_RUN, { after: 0, limit: 1_000 });
    const records = await scrubsOf(journal, SCRUBBED_RUN);
    const spool = join(folder, "journal.db-sessions", `${SCRUBBED_RUN}.work.0`, "out.spool");
    const line = readFileSync(spool, "utf8").split("\n")[1] ?? "";
    return [
      ...wrong("files with the value", found, []),
      ...wrong("damage", await journal.verify(), []),
      ...wrong("history changed", records.filter(({ from }) => from !== null).length, 1),
      ...wrong("removal finished", records.at(-1)?.finished, true),
      ...wrong("ends", count(events, "RunCompleted"), 1),
      ...wrong("line of the spool", line.length, JSON.stringify({ said: LEAKED }).length),
    ];
  } finally {
    await journal.close();
  }
}

test("J4 P5 the process that removes a value may be killed at any boundary: the store opens, its anchor holds, asking again removes the rest, and the run continues", (t) =>
  strikeBoundaries(t, {
    program: "runs/scrubbed-run.ts",
    watched: /^(scrub|anchor|journal\.rewrite)\./,
    telling: ["scrub.files.before", "scrub.purge.before", "scrub.purge.after"],
    // Around the transaction: the anchor names both ends, and the store holds the former one, then the new one.
    also: () => ["anchor.write.after#1", "journal.rewrite.after#1"],
    atOnce: 2,
    violations,
  }));
