import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Journal } from "../../../src/journal/journal.ts";
import { claimed, order, type Case } from "./scene.ts";

const HINT_MS_MAX = 5_000;

/** Resolves when the journal hints at a change; fails after a while without one. */
function nextHint(journal: Journal): Promise<void> {
  return new Promise((resolve, reject) => {
    const overdue = setTimeout(() => reject(new Error("no hint came")), HINT_MS_MAX);
    const stop = journal.watch(() => {
      clearTimeout(overdue);
      stop();
      resolve();
    });
  });
}

export const watchingCases: readonly Case[] = [
  {
    title: "J1 a watcher hears of every kind of change soon after it was made",
    async run({ journal }) {
      const changes: readonly (() => Promise<unknown>)[] = [
        () => claimed(journal, "run_a"),
        () => journal.append(order("run_a", 0)),
        () => journal.ask({ id: "req_1", address: "run_a", request: { kind: "pause" }, by: "cli", at: 1 }),
        () => journal.release("run_a", 1),
      ];
      for (const change of changes) {
        const hint = nextHint(journal);
        await change();
        await hint;
      }
    },
  },
  {
    title: "J1 a watcher hears of changes made through another handle",
    async run({ journal, store }) {
      const other = await store.open();
      await claimed(other, "run_a");
      for (let expected = 0; expected < 3; expected += 1) {
        const hint = nextHint(journal);
        await other.append(order("run_a", expected));
        await hint;
        assert.equal((await journal.head("run_a"))?.seq, expected + 1);
      }
    },
  },
  {
    title: "J1 a watcher that was let go hears nothing more",
    async run({ journal }) {
      let received = 0;
      const stop = journal.watch(() => (received += 1));
      stop();
      await claimed(journal, "run_a");
      await pause(150);
      assert.equal(received, 0);
    },
  },
];
