import assert from "node:assert/strict";
import { isFault } from "../../../src/model/fault.ts";
import type { RunEvent } from "../../../src/model/events/events.ts";
import { all, claimed, headIn, order, said, type Case } from "./scene.ts";

const LONG = 70_000;
const long = (mark: string): string => mark.padEnd(LONG, `${mark} é \0 \ud800 "quoted" `);
const ended = (key: string, value: unknown): RunEvent => ({
  type: "BodyStepEnded",
  data: { key, ended: { kind: "value", value } },
});
const looped = (i: number, patch: unknown): RunEvent => ({
  type: "BodyLooped",
  data: { key: "loop:k", i, patch, done: false },
});

export const largeValueCases: readonly Case[] = [
  {
    title: "J5 a large value is kept once under its digest, whoever names it, and is read as it was written",
    async run({ journal, store }) {
      const [a, b] = [long("a"), long("b")];
      const events = [
        ended("step:one", a),
        ended("step:two", { nested: [1, { text: a, more: b }], small: "x" }),
        looped(0, { in: { messages: { keep: 3, add: [{ role: "tool", content: b }] } } }),
        ended("step:odd", JSON.parse(`{"__proto__":{"~apart":[1],"t":${JSON.stringify(a)}}}`)),
        ended(
          "step:list",
          Array.from({ length: 9_000 }, (_, n) => n * 1_000_003),
        ),
        said("small"),
      ];
      for (const run of ["run_a", "run_b"]) {
        await claimed(journal, run);
        headIn(await journal.append(order(run, 0, { events })));
      }
      for (const handle of [journal, await store.open()])
        for (const run of ["run_a", "run_b"]) {
          const read = await handle.read(run, all);
          assert.deepEqual(
            read.map(({ type, data }) => JSON.stringify({ type, data })),
            events.map((event) => JSON.stringify(event)),
          );
          assert.deepEqual(await handle.verify(), []);
        }
      assert.equal((await store.blobs()).length, 3);
      for (const { data } of await journal.readStored("run_a", all))
        assert.ok(data.length < 1_000, data.slice(0, 200));
    },
  },
  {
    title: "J5 an append says which values are apart now, and a reader may leave results where they are",
    async run({ journal }) {
      await claimed(journal, "run_a");
      const text = long("a");
      const outcome = await journal.append(
        order("run_a", 0, { events: [said("x"), ended("step:s", { text, n: 1 }), looped(0, { set: text })] }),
      );
      assert.ok(outcome.kind === "appended");
      const places = outcome.apart?.get(1) ?? [];
      assert.deepEqual(
        places.map(({ at }) => at),
        [["ended", "value", "text"]],
      );
      assert.deepEqual([...(outcome.apart?.keys() ?? [])], [1, 2]);
      const [, left, patch] = await journal.read("run_a", { ...all, leaveApart: true });
      assert.deepEqual(left?.data, { key: "step:s", ended: { kind: "value", value: { text: null, n: 1 } } });
      assert.deepEqual(left?.apart, places);
      assert.ok(patch?.type === "BodyLooped" && patch.apart === undefined);
      assert.deepEqual(patch.data.patch, { set: text });
      const texts = await journal.readApart({ run: "run_a", seq: 2 }, [places[0]?.digest ?? ""]);
      assert.deepEqual(texts, [JSON.stringify(text)]);
      const plain = await journal.append(order("run_a", 3));
      assert.ok(plain.kind === "appended" && plain.apart === undefined);
    },
  },
  {
    title:
      "J5 a large value that is missing or was changed is damage at the event that names it, never another value",
    async run({ journal, store }) {
      await claimed(journal, "run_a");
      await journal.append(order("run_a", 0, { events: [said("x"), ended("step:s", long("a"))] }));
      await claimed(journal, "run_b");
      await journal.append(order("run_b", 0, { events: [looped(0, { set: long("b") })] }));
      const [, [, named]] = [null, await journal.read("run_a", { ...all, leaveApart: true })];
      const digest = named?.apart?.[0]?.digest ?? "";
      assert.deepEqual(await journal.verify(), []);
      for (const how of ["changed", "removed"] as const) {
        await journal.close();
        await store.tamperBlob(digest, how);
        journal = await store.open();
        const damaged = (error: unknown): boolean =>
          isFault(error, "journal_damaged") &&
          error.details["run"] === "run_a" &&
          error.details["seq"] === 2 &&
          error.message.includes(digest) &&
          error.message.includes(how === "changed" ? "does not match its digest" : "is missing");
        await assert.rejects(journal.read("run_a", all), damaged);
        await assert.rejects(journal.readApart({ run: "run_a", seq: 2 }, [digest]), damaged);
        const damages = await journal.verify();
        assert.equal(damages.length, 1, JSON.stringify(damages));
        assert.equal(damages[0]?.run, "run_a");
        assert.equal(damages[0]?.seq, 2);
        assert.ok(damages[0]?.what.includes(digest));
        assert.equal((await journal.read("run_b", all)).length, 1);
      }
    },
  },
  {
    title: "J9 a removed run takes along the large values that no other run names",
    async run({ journal, store }) {
      const [own, shared] = [long("own"), long("shared")];
      for (const run of ["run_a", "run_b"]) await claimed(journal, run);
      const { seq, hash } = headIn(
        await journal.append(order("run_a", 0, { events: [ended("step:s", own), ended("step:t", shared)] })),
      );
      headIn(await journal.append(order("run_b", 0, { events: [ended("step:t", shared)] })));
      assert.equal((await store.blobs()).length, 2);
      assert.deepEqual(await journal.remove({ run: "run_a", seq, hash, epoch: 1 }), { kind: "removed" });
      assert.equal((await store.blobs()).length, 1);
      assert.equal((await journal.read("run_b", all)).length, 1);
      assert.deepEqual(await journal.verify(), []);
      const last = await journal.head("run_b");
      assert.ok(last !== null);
      await journal.remove({ run: "run_b", seq: last.seq, hash: last.hash, epoch: 1 });
      assert.deepEqual(await store.blobs(), []);
    },
  },
  {
    title: "J5 dying while a large value is kept leaves no event that names it (I1)",
    async run({ journal, world, store }) {
      await claimed(journal, "run_a");
      const event = ended("step:s", long("a"));
      for (const point of ["journal.blobs.before", "journal.blobs.after", "journal.append.before"]) {
        world.dieAt = point;
        await assert.rejects(journal.append(order("run_a", 0, { events: [event] })), /died at/);
        world.dieAt = null;
        const again = await store.open();
        assert.equal(await again.head("run_a"), null, point);
        assert.deepEqual(await again.verify(), [], point);
      }
      world.dieAt = "journal.append.after";
      await assert.rejects(journal.append(order("run_a", 0, { events: [event] })), /died at/);
      world.dieAt = null;
      assert.equal((await (await store.open()).read("run_a", all)).length, 1);
    },
  },
  {
    title: "J5 a refused append changes nothing that others read, however large its values",
    async run({ journal }) {
      await claimed(journal, "run_a");
      headIn(await journal.append(order("run_a", 0)));
      const event = ended("step:s", long("a"));
      assert.equal((await journal.append(order("run_a", 5, { events: [event] }))).kind, "conflict");
      assert.equal((await journal.append(order("run_a", 1, { epoch: 7, events: [event] }))).kind, "fenced");
      assert.equal((await journal.read("run_a", all)).length, 1);
      assert.deepEqual(await journal.verify(), []);
      headIn(await journal.append(order("run_a", 1, { events: [event] })));
      assert.deepEqual(await journal.verify(), []);
    },
  },
];
