import assert from "node:assert/strict";
import type { Journal } from "../../../src/journal/journal.ts";
import { all, claimed, headIn, order, owner, said, written, type Case } from "./scene.ts";

const mail = (id: string, address: string) =>
  ({ id, address, request: { kind: "pause" }, by: "cli", at: 1 }) as const;

/** Everything that is known of a run. */
const traces = async (journal: Journal, run: string): Promise<unknown> => ({
  head: await journal.head(run),
  events: await journal.readStored(run, all),
  listed: (await journal.runs()).filter((listing) => listing.run === run),
  snapshot: await journal.loadSnapshot(run),
  inbox: await journal.inbox(run),
});
const NOTHING = { head: null, events: [], listed: [], snapshot: null, inbox: [] };

export const removingCases: readonly Case[] = [
  {
    title: "J9 stored events are given as they were written, with the text that their hash covers",
    async run({ journal }) {
      await claimed(journal, "run_a");
      await journal.append(order("run_a", 0, { events: [said("é\u2028 \0 \ud800"), said("two")] }));
      const stored = await journal.readStored("run_a", all);
      const read = await journal.read("run_a", all);
      assert.deepEqual(
        stored.map(({ data, ...rest }) => ({ ...rest, data: JSON.parse(data) as unknown })),
        read.map(({ run, seq, at, type, hash, data }) => ({ run, seq, at, type, hash, data })),
      );
      for (const { data } of stored) assert.equal(JSON.stringify(JSON.parse(data)), data);
      assert.equal((await journal.readStored("run_a", { after: 1, limit: 5 })).length, 1);
      assert.deepEqual(await journal.readStored("run_none", all), []);
    },
  },
  {
    title: "J9 a removed run leaves nothing behind, and other runs stay as they are",
    async run({ journal, store }) {
      const other = await written(journal, "run_b", 3);
      const head = await written(journal, "run_a", 2);
      await journal.saveSnapshot("run_a", { seq: 2, hash: head.hash, fold: "1", state: "{}" });
      await journal.ask(mail("req_1", "run_a"));
      const after = headIn(await journal.append(order("run_a", 2, { consumed: ["req_1"] })));
      const before = await traces(journal, "run_b");
      const removal = { run: "run_a", seq: 3, hash: after.hash, epoch: 1 };
      assert.deepEqual(await journal.remove(removal), { kind: "removed" });
      for (const handle of [journal, await store.open()]) {
        assert.deepEqual(await traces(handle, "run_a"), NOTHING);
        assert.deepEqual(await traces(handle, "run_b"), before);
        assert.deepEqual(await handle.head("run_b"), other);
        assert.deepEqual(await handle.verify(), []);
      }
      assert.equal(await journal.ask(mail("req_1", "run_a")), "put");
    },
  },
  {
    title: "J9 after the newest run was removed, again and again under one name, the store opens as whole",
    async run({ journal, store }) {
      await written(journal, "run_a", 2);
      let { seq, hash } = await written(journal, "run_b", 2);
      for (let epoch = 1; epoch <= 3; epoch += 1) {
        assert.equal((await journal.remove({ run: "run_b", seq, hash, epoch })).kind, "removed");
        const again = await store.open();
        assert.deepEqual(await again.verify(), []);
        assert.equal(await claimed(again, "run_b"), epoch + 1);
        const next = headIn(await again.append(order("run_b", 0, { epoch: epoch + 1 })));
        ({ seq, hash } = next);
      }
      assert.equal((await journal.head("run_a"))?.seq, 2);
      assert.equal((await journal.remove({ run: "run_b", seq, hash, epoch: 4 })).kind, "removed");
      assert.deepEqual(
        (await (await store.open()).runs()).map(({ run }) => run),
        ["run_a"],
      );
    },
  },
  {
    title: "J9 a run is removed only by its owner, at its head, and while nobody waits for an answer (I9)",
    async run({ journal }) {
      const head = await written(journal, "run_a", 2);
      const { seq, hash } = head;
      const right = { run: "run_a", seq, hash, epoch: 1 };
      const fenced = { kind: "fenced", currentEpoch: 1 };
      assert.deepEqual(await journal.remove({ ...right, epoch: 2 }), fenced);
      assert.deepEqual(await journal.remove({ ...right, seq: 1 }), { kind: "conflict", head });
      assert.deepEqual(await journal.remove({ ...right, hash: "0".repeat(64) }), { kind: "conflict", head });
      assert.deepEqual(await journal.remove({ ...right, run: "run_none" }), {
        kind: "fenced",
        currentEpoch: 0,
      });
      await claimed(journal, "run_none");
      assert.deepEqual(await journal.remove({ ...right, run: "run_none" }), { kind: "conflict", head: null });
      await journal.ask(mail("req_1", "run_a"));
      assert.deepEqual(await journal.remove(right), { kind: "asked" });
      await journal.consume("run_a", ["req_1"]);
      await journal.release("run_a", 1);
      assert.deepEqual(await journal.remove(right), fenced);
      assert.deepEqual(await journal.head("run_a"), head);
      assert.equal(await claimed(journal, "run_a", "own_b"), 2);
      assert.deepEqual(await journal.remove({ ...right, epoch: 2 }), { kind: "removed" });
    },
  },
  {
    title: "J9 a former owner of a removed run cannot write to a later one of the same id (I9)",
    async run({ journal, store }) {
      const { seq, hash } = await written(journal, "run_a", 1);
      const stale = await store.open();
      assert.equal((await stale.head("run_a"))?.seq, 1);
      await journal.remove({ run: "run_a", seq, hash, epoch: 1 });
      assert.deepEqual(await stale.append(order("run_a", 1)), { kind: "fenced", currentEpoch: 1 });
      assert.deepEqual(await journal.lease("run_a"), { address: "run_a", epoch: 1, owner: null, beats: 0 });
      const outcome = await journal.claim("run_a", owner("own_b"));
      assert.ok(outcome.kind === "claimed" && outcome.epoch === 2);
      headIn(await journal.append(order("run_a", 0, { epoch: 2, events: [said("anew")] })));
      assert.deepEqual(await stale.append(order("run_a", 1)), { kind: "fenced", currentEpoch: 2 });
      assert.equal(headIn(await stale.append(order("run_a", 1, { epoch: 2 }))).seq, 2);
      assert.deepEqual(await journal.verify(), []);
    },
  },
  {
    title: "J9 a removal happens wholly or not at all, between its crash points",
    async run({ journal, world, store }) {
      const { seq, hash } = await written(journal, "run_a", 3);
      const removal = { run: "run_a", seq, hash, epoch: 1 };
      world.dieAt = "journal.archive.before";
      await assert.rejects(journal.remove(removal), /died at/);
      assert.equal((await journal.head("run_a"))?.seq, 3);
      world.dieAt = "journal.archive.after";
      await assert.rejects(journal.remove(removal), /died at/);
      world.dieAt = null;
      const again = await store.open();
      assert.deepEqual(await traces(again, "run_a"), NOTHING);
      assert.deepEqual(await again.verify(), []);
    },
  },
];
