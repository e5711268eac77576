import assert from "node:assert/strict";
import { test } from "node:test";
import { cutJournals, cutsOf, readCutJournal, readCuts } from "./journal-cuts.ts";

const names = cutJournals();

test("J9 there are cuts of golden journals and of simulated ones", () => {
  for (const name of ["demo", "reference", "plain-20", "judges-5"]) assert.ok(names.includes(name), name);
});

for (const name of names)
  test(`J9 the golden journal ${name}, cut after any event, continues as it was recorded: status, what is next, deadlines`, async () => {
    const journal = await readCutJournal(name);
    const recorded = readCuts(name);
    assert.ok(recorded.length > 30 && recorded.length === journal.length);
    const found = cutsOf(journal);
    for (const [index, cut] of recorded.entries())
      assert.deepEqual(
        JSON.parse(JSON.stringify(found[index])),
        cut,
        `${name} after event ${String(cut.seq)}`,
      );
  });
