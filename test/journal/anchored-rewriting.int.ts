import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { anchorFile } from "../../src/journal/anchor.ts";
import { anchoredJournal } from "../../src/journal/anchored-journal.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { planScrub, scrubOrder } from "../../src/journal/scrub-plan.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { valueRemover } from "../../src/model/events/remove-value.ts";
import { claimed, order, quietWorld, said } from "./contract/scene.ts";

const root = mkdtempSync(path.join(tmpdir(), "holdfast-anchored-"));
after(() => rmSync(root, { recursive: true }));

const listing = { status: "running", goal: "g", wakeAt: null } as const;
const rewritten = async (journal: Journal, value: string) =>
  scrubOrder(await planScrub(journal, "run_a", valueRemover(value)), "cli", { epoch: 1, at: 9, listing });

test("A5 P5 a removal that was interrupted at its anchor hides no other change: only the former and the planned history are accepted", async () => {
  const file = path.join(root, "journal.db");
  const anchor = anchorFile(path.join(root, "anchor.json"), file, quietWorld());
  const openBare = () => openSqliteJournal({ file, world: quietWorld() });
  const options = { anchor, store: file, world: quietWorld() };
  const bare = await openBare();
  const journal = await anchoredJournal(bare, options);
  await claimed(journal, "run_a");
  await journal.append(order("run_a", 0, { events: [said("one"), said("two secret-value"), said("three")] }));
  const interrupted = await anchoredJournal(
    { ...bare, rewrite: () => Promise.reject(new Error("killed")) },
    options,
  );
  await assert.rejects(interrupted.rewrite(await rewritten(bare, "secret-value")), /killed/);
  assert.deepEqual(await (await anchoredJournal(bare, options)).verify(), []);

  const planned = await rewritten(bare, "secret-value");
  const forged = await rewritten(bare, "two secret");
  assert.equal((await bare.rewrite(forged)).kind, "rewritten");
  await assert.rejects(anchoredJournal(bare, options), /event 3 of run_a was .* is another one now/);
  assert.equal((await bare.verify()).length, 0);

  // What was planned is accepted, also where nobody came to write it into the anchor.
  anchor.put({
    run: "run_a",
    seq: 3,
    hash: planned.head.hash,
    at: 9,
    next: forged.events.at(-1) ?? planned.head,
  });
  assert.deepEqual(await (await anchoredJournal(bare, options)).verify(), []);
  await bare.close();
});
