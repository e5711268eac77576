import assert from "node:assert/strict";
import type { InboxRow } from "../../../src/journal/journal.ts";
import { claimed, headIn, order, written, type Case } from "./scene.ts";

const row = (id: string, address: string): InboxRow => ({
  id,
  address,
  request: { kind: "pause" },
  by: "cli",
  at: 5,
});

const ids = (rows: readonly InboxRow[]): string[] => rows.map(({ id }) => id);

export const askingCases: readonly Case[] = [
  {
    title: "J1 requests wait in their address's inbox, oldest first, whoever asked",
    async run({ journal, store }) {
      const other = await store.open();
      assert.equal(await journal.ask(row("req_z", "run_a")), "put");
      assert.equal(await other.ask(row("req_a", "run_a")), "put");
      assert.equal(
        await other.ask({ ...row("req_b", "sup"), request: { kind: "shutdown", stopAgents: true } }),
        "put",
      );
      assert.deepEqual(ids(await journal.inbox("run_a")), ["req_z", "req_a"]);
      const [mail] = await journal.inbox("sup");
      assert.deepEqual(mail?.request, { kind: "shutdown", stopAgents: true });
      assert.deepEqual(await journal.addressesWithMail(), ["run_a", "sup"]);
      assert.deepEqual(await journal.inbox("run_none"), []);
    },
  },
  {
    title: "J1 asking again with the same id changes nothing, even after the request was consumed",
    async run({ journal }) {
      await written(journal, "run_a", 1);
      assert.equal(await journal.ask(row("req_1", "run_a")), "put");
      assert.equal(await journal.ask({ ...row("req_1", "run_a"), request: { kind: "cancel" } }), "already");
      assert.deepEqual(await journal.inbox("run_a"), [row("req_1", "run_a")]);
      headIn(await journal.append(order("run_a", 1, { consumed: ["req_1"] })));
      assert.equal(await journal.ask(row("req_1", "run_a")), "already");
      assert.deepEqual(await journal.inbox("run_a"), []);
    },
  },
  {
    title:
      "P4 what is no request waits like one, is handed over as it is, and goes with the append that answers it",
    async run({ journal }) {
      await written(journal, "run_a", 1);
      const odd = [{ kind: "of another version", a: [1] }, null, 7].map(
        (request, index) => ({ ...row(`req_${String(index)}`, "run_a"), request }) as unknown as InboxRow,
      );
      for (const one of odd) assert.equal(await journal.ask(one), "put");
      assert.deepEqual(await journal.inbox("run_a"), odd);
      headIn(await journal.append(order("run_a", 1, { consumed: odd.map(({ id }) => id) })));
      assert.deepEqual(await journal.inbox("run_a"), []);
      assert.deepEqual(await journal.verify(), []);
    },
  },
  {
    title: "J1 a request disappears in the very append that answers it, and not in one that is refused",
    async run({ journal, world }) {
      await claimed(journal, "run_a");
      await journal.ask(row("req_1", "run_a"));
      await journal.ask(row("req_2", "run_a"));
      const consumed = ["req_1"];
      assert.equal((await journal.append(order("run_a", 3, { consumed }))).kind, "conflict");
      assert.equal((await journal.append(order("run_a", 0, { consumed, epoch: 9 }))).kind, "fenced");
      world.dieAt = "journal.append.before";
      await assert.rejects(journal.append(order("run_a", 0, { consumed })), /died at/);
      world.dieAt = null;
      assert.deepEqual(ids(await journal.inbox("run_a")), ["req_1", "req_2"]);
      headIn(await journal.append(order("run_a", 0, { consumed })));
      assert.deepEqual(ids(await journal.inbox("run_a")), ["req_2"]);
      assert.deepEqual(await journal.addressesWithMail(), ["run_a"]);
    },
  },
  {
    title: "J1 an append consumes only requests of its own run, and one consumed before is no error",
    async run({ journal }) {
      await claimed(journal, "run_a");
      await journal.ask(row("req_b", "run_b"));
      headIn(await journal.append(order("run_a", 0, { consumed: ["req_b", "req_none"] })));
      headIn(await journal.append(order("run_a", 1, { consumed: ["req_b"] })));
      assert.deepEqual(ids(await journal.inbox("run_b")), ["req_b"]);
    },
  },
  {
    title: "J1 an address without a journal consumes its requests by themselves",
    async run({ journal }) {
      await journal.ask(row("req_1", "sup"));
      await journal.ask(row("req_2", "sup"));
      await journal.ask(row("req_3", "run_a"));
      await journal.consume("sup", ["req_1", "req_3", "req_none"]);
      assert.deepEqual(ids(await journal.inbox("sup")), ["req_2"]);
      assert.deepEqual(ids(await journal.inbox("run_a")), ["req_3"]);
      await journal.consume("sup", ["req_1", "req_2"]);
      assert.deepEqual(await journal.addressesWithMail(), ["run_a"]);
    },
  },
];
