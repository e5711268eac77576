import assert from "node:assert/strict";
import { isFault } from "../../../src/model/fault.ts";
import { all, order, written, type Case, type Scene } from "./scene.ts";

const seqs = (events: readonly { seq: number }[]): number[] => events.map((event) => event.seq);

async function tampered(scene: Scene, seq: number, how: "changed" | "removed") {
  await written(scene.journal, "run_a", 5);
  await written(scene.journal, "run_b", 2);
  await scene.journal.close();
  await scene.store.tamper("run_a", seq, how);
  return scene.store.open();
}

const damagedAt = (seq: number) => (error: unknown) =>
  isFault(error, "journal_damaged") && error.details["seq"] === seq && error.message.includes("run_a");

export const readingCases: readonly Case[] = [
  {
    title: "J1 reading goes on from any event, oldest first, at most as many as asked for",
    async run({ journal }) {
      await written(journal, "run_a", 10);
      assert.deepEqual(seqs(await journal.read("run_a", { after: 0, limit: 3 })), [1, 2, 3]);
      assert.deepEqual(seqs(await journal.read("run_a", { after: 3, limit: 4 })), [4, 5, 6, 7]);
      assert.deepEqual(seqs(await journal.read("run_a", { after: 7, limit: 100 })), [8, 9, 10]);
      assert.deepEqual(await journal.read("run_a", { after: 10, limit: 100 }), []);
      assert.deepEqual(await journal.read("run_a", { after: 99, limit: 100 }), []);
    },
  },
  {
    title: "J1 a run that does not exist has no events and no head",
    async run({ journal }) {
      assert.deepEqual(await journal.read("run_none", all), []);
      assert.equal(await journal.head("run_none"), null);
    },
  },
  {
    title: "J1 everything is found again after reopening, and the run goes on where it was",
    async run({ journal, store }) {
      const head = await written(journal, "run_a", 3);
      const before = await journal.read("run_a", all);
      await journal.close();
      const again = await store.open();
      assert.deepEqual(await again.head("run_a"), head);
      assert.deepEqual(await again.read("run_a", all), before);
      assert.equal((await again.lease("run_a"))?.owner?.id, "own_a");
      assert.equal((await again.append(order("run_a", 3))).kind, "appended");
    },
  },
  {
    title: "J2 a changed event is damage at its exact place, and events before it can still be read",
    async run(scene) {
      const journal = await tampered(scene, 3, "changed");
      await assert.rejects(journal.read("run_a", all), damagedAt(3));
      assert.deepEqual(seqs(await journal.read("run_a", { after: 0, limit: 2 })), [1, 2]);
      assert.equal((await journal.read("run_b", all)).length, 2);
    },
  },
  {
    title: "J2 a missing event in the middle is damage, not an end",
    async run(scene) {
      const journal = await tampered(scene, 3, "removed");
      await assert.rejects(journal.read("run_a", all), damagedAt(3));
    },
  },
  {
    title: "J2 a missing last event is damage, not an end",
    async run(scene) {
      const journal = await tampered(scene, 5, "removed");
      await assert.rejects(journal.read("run_a", all), isDamage);
      await assert.rejects(journal.head("run_a"), isDamage);
    },
  },
  {
    title: "J2 verify names the damage and leaves the sound runs alone",
    async run(scene) {
      const journal = await tampered(scene, 3, "changed");
      const damages = await journal.verify();
      assert.deepEqual(
        damages.map(({ run, seq }) => ({ run, seq })),
        [{ run: "run_a", seq: 3 }],
      );
    },
  },
  {
    title: "J2 verify finds nothing in a sound store",
    async run({ journal }) {
      await written(journal, "run_a", 5);
      await journal.ask({ id: "req_1", address: "run_a", request: { kind: "pause" }, by: "cli", at: 1 });
      await journal.release("run_a", 1);
      assert.deepEqual(await journal.verify(), []);
    },
  },
];

const isDamage = (error: unknown): boolean => isFault(error, "journal_damaged");
