import assert from "node:assert/strict";
import { chainHash, GENESIS } from "../../../src/journal/chain.ts";
import { all, claimed, headIn, order, type Case } from "./scene.ts";

const RUNS = Array.from({ length: 50 }, (_, index) => `run_${String(index)}`);

export const batchingCases: readonly Case[] = [
  {
    title: "J1 many runs append at once, each in its own gapless chain",
    async run({ journal }) {
      await Promise.all(
        RUNS.map(async (run) => {
          await claimed(journal, run);
          for (let expected = 0; expected < 20; expected += 1)
            assert.equal(headIn(await journal.append(order(run, expected))).seq, expected + 1);
        }),
      );
      for (const run of RUNS) {
        const events = await journal.read(run, all);
        assert.equal(events.length, 20);
        let previous = GENESIS;
        for (const event of events) {
          assert.equal(event.hash, chainHash(previous, { ...event, data: JSON.stringify(event.data) }));
          previous = event.hash;
        }
      }
      assert.deepEqual(await journal.verify(), []);
    },
  },
  {
    title: "J1 a conflicting, fenced or impossible append leaves those beside it untouched",
    async run({ journal }) {
      await claimed(journal, "run_a");
      await claimed(journal, "run_b");
      const outcomes = await Promise.allSettled([
        journal.append(order("run_a", 0)),
        journal.append(order("run_b", 7)),
        journal.append(order("run_c", 0)),
        journal.saveSnapshot("run_none", { seq: 1, hash: "", fold: "1", state: "{}" }),
        journal.append(order("run_b", 0)),
        journal.append(order("run_a", 1)),
      ]);
      assert.deepEqual(
        outcomes.map((outcome) =>
          outcome.status === "fulfilled" ? (outcome.value?.kind ?? "done") : "rejected",
        ),
        ["appended", "conflict", "fenced", "rejected", "appended", "appended"],
      );
      assert.equal((await journal.head("run_a"))?.seq, 2);
      assert.equal((await journal.head("run_b"))?.seq, 1);
      assert.deepEqual(await journal.verify(), []);
    },
  },
  {
    title: "J1 of many appends at one position exactly one wins",
    async run({ journal }) {
      await claimed(journal, "run_a");
      for (let expected = 0; expected < 5; expected += 1) {
        const outcomes = await Promise.all(RUNS.map(() => journal.append(order("run_a", expected))));
        assert.equal(outcomes.filter((outcome) => outcome.kind === "appended").length, 1);
        assert.equal(outcomes.filter((outcome) => outcome.kind === "conflict").length, RUNS.length - 1);
      }
      assert.equal((await journal.head("run_a"))?.seq, 5);
    },
  },
  {
    title: "J1 two handles on one store append in turns, and each sees what the other wrote",
    async run({ journal, store }) {
      const other = await store.open();
      await claimed(journal, "run_a");
      for (let expected = 0; expected < 10; expected += 2) {
        headIn(await journal.append(order("run_a", expected)));
        assert.equal((await other.append(order("run_a", expected))).kind, "conflict");
        headIn(await other.append(order("run_a", expected + 1)));
        assert.equal((await journal.head("run_a"))?.seq, expected + 2);
      }
      assert.deepEqual(await journal.read("run_a", all), await other.read("run_a", all));
    },
  },
  {
    title: "J1 a handle learns from the store, not from its memory, that another took the run over (I9)",
    async run({ journal, store }) {
      const other = await store.open();
      await claimed(journal, "run_a");
      headIn(await journal.append(order("run_a", 0)));
      const seen = await other.lease("run_a");
      assert.ok(seen !== null);
      await other.takeOver("run_a", { id: "own_b", process: { host: "x", pid: 2, startedAt: "2" } }, seen);
      assert.deepEqual(await journal.append(order("run_a", 1)), { kind: "fenced", currentEpoch: 2 });
      headIn(await other.append(order("run_a", 1, { epoch: 2 })));
    },
  },
];
