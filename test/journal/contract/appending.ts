import assert from "node:assert/strict";
import { chainHash, GENESIS } from "../../../src/journal/chain.ts";
import { isFault } from "../../../src/model/fault.ts";
import { all, claimed, headIn, order, owner, said, written, type Case } from "./scene.ts";

export const appendingCases: readonly Case[] = [
  {
    title: "J1 sequence numbers are gapless from 1, in each run of its own",
    async run({ journal }) {
      await claimed(journal, "run_a");
      await claimed(journal, "run_b");
      for (let expected = 0; expected < 5; expected += 1)
        for (const run of ["run_a", "run_b"]) {
          const head = headIn(await journal.append(order(run, expected)));
          assert.equal(head.seq, expected + 1);
        }
      const read = await journal.read("run_a", all);
      assert.deepEqual(
        read.map((event) => event.seq),
        [1, 2, 3, 4, 5],
      );
    },
  },
  {
    title: "J1 a time to wake at that is no whole number of milliseconds is refused, whatever the store",
    async run({ journal }) {
      await claimed(journal, "run_a");
      for (const wakeAt of [0.5, NaN, Infinity, 2 ** 60]) {
        const whole = order("run_a", 0);
        await assert.rejects(journal.append({ ...whole, listing: { ...whole.listing, wakeAt } }), (error) =>
          isFault(error, "broken_promise"),
        );
      }
      assert.equal(await journal.head("run_a"), null);
    },
  },
  {
    title: "J1 each record's hash covers its predecessor's, its run, place, time, type and data",
    async run({ journal }) {
      await written(journal, "run_a", 3);
      let previous = GENESIS;
      for (const { run, seq, at, type, data, hash } of await journal.read("run_a", all)) {
        assert.equal(hash, chainHash(previous, { run, seq, at, type, data: JSON.stringify(data) }));
        previous = hash;
      }
      assert.equal((await journal.head("run_a"))?.hash, previous);
    },
  },
  {
    title:
      "J1 an append gives back exactly the events that were handed over, whatever becomes of the caller's objects",
    async run({ journal }) {
      await claimed(journal, "run_a");
      const data = { what: "said", bound: 1, detail: "before" };
      const appending = journal.append(
        order("run_a", 0, { at: 77, events: [{ type: "LimitReached", data }] }),
      );
      data.detail = "after";
      const head = headIn(await appending);
      const [event] = await journal.read("run_a", all);
      assert.deepEqual(event, {
        type: "LimitReached",
        data: { what: "said", bound: 1, detail: "before" },
        run: "run_a",
        seq: 1,
        at: 77,
        hash: head.hash,
      });
    },
  },
  {
    title:
      "J1 an append at another position than the run's is a conflict that names the head and writes nothing",
    async run({ journal }) {
      const head = await written(journal, "run_a", 2);
      for (const expected of [0, 1, 3])
        assert.deepEqual(await journal.append(order("run_a", expected)), { kind: "conflict", head });
      assert.deepEqual(await journal.head("run_a"), head);
      await claimed(journal, "run_b");
      assert.deepEqual(await journal.append(order("run_b", 1)), { kind: "conflict", head: null });
      assert.equal(await journal.head("run_b"), null);
    },
  },
  {
    title: "J1 an append by anyone but the current owner is refused by the store itself (I9)",
    async run({ journal }) {
      assert.deepEqual(await journal.append(order("run_a", 0)), { kind: "fenced", currentEpoch: 0 });
      const head = await written(journal, "run_a", 1);
      const seen = await journal.lease("run_a");
      assert.ok(seen !== null);
      assert.equal((await journal.takeOver("run_a", owner("own_b"), seen)).kind, "claimed");
      assert.deepEqual(await journal.append(order("run_a", 1, { epoch: 1 })), {
        kind: "fenced",
        currentEpoch: 2,
      });
      assert.deepEqual(await journal.append(order("run_a", 1, { epoch: 3 })), {
        kind: "fenced",
        currentEpoch: 2,
      });
      assert.deepEqual(await journal.head("run_a"), head);
      assert.equal(headIn(await journal.append(order("run_a", 1, { epoch: 2 }))).seq, 2);
    },
  },
  {
    title: "J1 after its release a run is written by nobody until it is claimed anew (I9)",
    async run({ journal }) {
      await written(journal, "run_a", 1);
      await journal.release("run_a", 1);
      assert.deepEqual(await journal.append(order("run_a", 1)), { kind: "fenced", currentEpoch: 1 });
      assert.equal(await claimed(journal, "run_a", "own_b"), 2);
      assert.equal(headIn(await journal.append(order("run_a", 1, { epoch: 2 }))).seq, 2);
    },
  },
  {
    title: "J1 the events of one append are kept all or not at all (I1)",
    async run({ journal, world, store }) {
      await written(journal, "run_a", 1);
      const events = [said("one"), said("two"), said("three")];
      world.dieAt = "journal.append.before";
      await assert.rejects(journal.append(order("run_a", 1, { events })), /died at/);
      world.dieAt = null;
      assert.equal((await journal.head("run_a"))?.seq, 1);
      assert.equal(headIn(await journal.append(order("run_a", 1, { events }))).seq, 4);
      const again = await store.open();
      assert.equal((await again.read("run_a", all)).length, 4);
    },
  },
  {
    title: "J1 an append whose answer was lost is found written by whoever looks again",
    async run({ journal, world, store }) {
      await written(journal, "run_a", 1);
      world.dieAt = "journal.append.after";
      await assert.rejects(journal.append(order("run_a", 1)), /died at/);
      world.dieAt = null;
      const again = await store.open();
      assert.equal((await again.head("run_a"))?.seq, 2);
      assert.equal((await again.append(order("run_a", 1))).kind, "conflict");
    },
  },
  {
    title: "J1 every change passes a crash point before and after it is durable",
    async run({ journal, world }) {
      world.passed.length = 0;
      await written(journal, "run_a", 1);
      const head = await journal.head("run_a");
      await journal.saveSnapshot("run_a", { seq: 1, hash: head?.hash ?? "", fold: "1", state: "{}" });
      await journal.ask({ id: "req_1", address: "sup", request: { kind: "pause" }, by: "cli", at: 1 });
      await journal.consume("sup", ["req_1"]);
      const seen = await journal.lease("run_a");
      assert.ok(seen !== null);
      await journal.takeOver("run_a", owner("own_b"), seen);
      await journal.release("run_a", 2);
      const points = ["claim", "append", "snapshot", "ask", "consume", "takeover", "release"];
      assert.deepEqual(
        world.passed,
        points.flatMap((point) => [`journal.${point}.before`, `journal.${point}.after`]),
      );
    },
  },
  {
    title:
      "J1 an append without events, or with a time that is no whole number, breaks a promise and writes nothing",
    async run({ journal }) {
      await claimed(journal, "run_a");
      const isBroken = (error: unknown): boolean => isFault(error, "broken_promise");
      await assert.rejects(journal.append(order("run_a", 0, { events: [] })), isBroken);
      await assert.rejects(journal.append(order("run_a", 0, { at: 1.5 })), isBroken);
      assert.equal(await journal.head("run_a"), null);
    },
  },
  {
    title: "J1 a megabyte in one event, and a thousand events in one append, are kept as they are",
    async run({ journal }) {
      await claimed(journal, "run_a");
      const big = "0123456789abcdef".repeat(65_536);
      const many = Array.from({ length: 1_000 }, (_, index) => said(String(index)));
      const head = headIn(await journal.append(order("run_a", 0, { events: [said(big), ...many] })));
      assert.equal(head.seq, 1_001);
      const read = await journal.read("run_a", all);
      assert.deepEqual(
        read.map(({ type, data }) => ({ type, data })),
        [said(big), ...many],
      );
    },
  },
  {
    title: "J1 any text survives: emoji, right-to-left, line breaks, zero characters and halves of a pair",
    async run({ journal, store }) {
      await claimed(journal, "run_a");
      const strange = "🦀 שלום \r\n\u2028 \0 zero \ud800 half ' \" \\ \u0007";
      const listing = { status: "running", goal: strange, wakeAt: null } as const;
      await journal.append(order("run_a", 0, { events: [said(strange)], listing }));
      const request = { kind: "retry", step: strange } as const;
      await journal.ask({ id: "req_1", address: "run_a", request, by: strange, at: 1 });
      const again = await store.open();
      const [event] = await again.read("run_a", all);
      assert.deepEqual(event?.data, said(strange).data);
      assert.equal((await again.runs())[0]?.goal, strange);
      const [row] = await again.inbox("run_a");
      assert.deepEqual(row, { id: "req_1", address: "run_a", request, by: strange, at: 1 });
    },
  },
];
