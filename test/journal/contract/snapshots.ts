import assert from "node:assert/strict";
import { isFault } from "../../../src/model/fault.ts";
import { written, type Case } from "./scene.ts";

export const snapshotCases: readonly Case[] = [
  {
    title: "J1 the newest snapshot of a run is given back",
    async run({ journal, store }) {
      assert.equal(await journal.loadSnapshot("run_none"), null);
      await written(journal, "run_a", 2);
      assert.equal(await journal.loadSnapshot("run_a"), null);
      for (const event of await journal.read("run_a", { after: 0, limit: 2 })) {
        const snapshot = {
          seq: event.seq,
          hash: event.hash,
          fold: "7",
          state: `{"seq":${String(event.seq)}}`,
        };
        await journal.saveSnapshot("run_a", snapshot);
        assert.deepEqual(await journal.loadSnapshot("run_a"), snapshot);
        assert.deepEqual(await (await store.open()).loadSnapshot("run_a"), snapshot);
      }
    },
  },
  {
    title:
      "J3 each version of the fold has a snapshot of its own, and of versions of long ago the last few are kept",
    async run({ journal, store }) {
      await written(journal, "run_a", 5);
      const made = (await journal.read("run_a", { after: 0, limit: 5 })).map(({ seq, hash }) => ({
        seq,
        hash,
        fold: `v${String(seq)}`,
        state: "{}",
      }));
      const [first, second, ...later] = made;
      assert.ok(first !== undefined && second !== undefined);
      await journal.saveSnapshot("run_a", first);
      await journal.saveSnapshot("run_a", second);
      assert.deepEqual(await journal.loadSnapshot("run_a", "v1"), first);
      assert.deepEqual(await journal.loadSnapshot("run_a", "v2"), second);
      assert.deepEqual(await journal.loadSnapshot("run_a"), second);
      assert.equal(await journal.loadSnapshot("run_a", "v9"), null);
      const again = { ...second, fold: "v1" };
      await journal.saveSnapshot("run_a", again);
      assert.deepEqual(await journal.loadSnapshot("run_a", "v1"), again);
      for (const one of later) await journal.saveSnapshot("run_a", one);
      const reopened = await store.open();
      const kept = await Promise.all(made.map(({ fold }) => reopened.loadSnapshot("run_a", fold)));
      assert.deepEqual(kept, [null, null, ...later]);
    },
  },
  {
    title: "J2 a snapshot that stands on no event of the chain is as good as none",
    async run({ journal }) {
      const head = await written(journal, "run_a", 2);
      await journal.saveSnapshot("run_a", { seq: 1, hash: head.hash, fold: "1", state: "{}" });
      assert.equal(await journal.loadSnapshot("run_a"), null);
      await journal.saveSnapshot("run_a", { seq: 3, hash: head.hash, fold: "1", state: "{}" });
      assert.equal(await journal.loadSnapshot("run_a"), null);
    },
  },
  {
    title: "J1 a snapshot of a run that does not exist is refused",
    async run({ journal }) {
      const snapshot = { seq: 1, hash: "", fold: "1", state: "{}" };
      await assert.rejects(journal.saveSnapshot("run_none", snapshot), (error) =>
        isFault(error, "not_found"),
      );
    },
  },
];
