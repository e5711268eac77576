import assert from "node:assert/strict";
import { isFault } from "../../../src/model/fault.ts";
import { all, claimed, order, owner, type Case } from "./scene.ts";

const isClosed = (error: unknown): boolean => isFault(error, "closed");

export const closingCases: readonly Case[] = [
  {
    title: "J1 closing waits for what was asked for before",
    async run({ journal, store }) {
      await claimed(journal, "run_a");
      const appending = journal.append(order("run_a", 0));
      await journal.close();
      assert.equal((await appending).kind, "appended");
      assert.equal((await (await store.open()).head("run_a"))?.seq, 1);
    },
  },
  {
    title: "J1 a closed journal refuses everything, and may be closed again",
    async run({ journal }) {
      await journal.close();
      await journal.close();
      const row = { id: "req_1", address: "run_a", request: { kind: "pause" }, by: "cli", at: 1 } as const;
      const lease = { address: "run_a", epoch: 1, owner: null, beats: 0 };
      const refused: readonly (() => Promise<unknown>)[] = [
        () => journal.append(order("run_a", 0)),
        () => journal.read("run_a", all),
        () => journal.head("run_a"),
        () => journal.runs(),
        () => journal.saveSnapshot("run_a", { seq: 1, hash: "", fold: "1", state: "{}" }),
        () => journal.loadSnapshot("run_a"),
        () => journal.ask(row),
        () => journal.inbox("run_a"),
        () => journal.addressesWithMail(),
        () => journal.consume("run_a", []),
        () => journal.claim("run_a", owner("own_a")),
        () => journal.takeOver("run_a", owner("own_a"), lease),
        () => journal.lease("run_a"),
        () => journal.release("run_a", 1),
        () => journal.beat("own_a"),
        () => journal.verify(),
      ];
      for (const ask of refused) await assert.rejects(ask(), isClosed);
      assert.throws(() => journal.watch(() => undefined), isClosed);
    },
  },
  {
    title: "J1 closing one handle leaves the others at work",
    async run({ journal, store }) {
      const other = await store.open();
      await claimed(other, "run_a");
      await journal.close();
      assert.equal((await other.append(order("run_a", 0))).kind, "appended");
    },
  },
];
