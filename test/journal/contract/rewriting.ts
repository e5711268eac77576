import assert from "node:assert/strict";
import { chainHash, GENESIS } from "../../../src/journal/chain.ts";
import type { Journal, RewriteOrder } from "../../../src/journal/journal.ts";
import { planScrub, scrubOrder } from "../../../src/journal/scrub-plan.ts";
import { scrubsOf } from "../../../src/journal/scrub-records.ts";
import { SCRUBBED, valueRemover } from "../../../src/model/events/remove-value.ts";
import { all, claimed, headIn, order, owner, said, written, type Case } from "./scene.ts";

const VALUE = 'leaked "secret" 4711/+';
const REMOVER = valueRemover(VALUE);
const LARGE = `${"x".repeat(70_000)} ${VALUE}`;
const listing = { status: "running", goal: "clean", wakeAt: null } as const;
const mail = (id: string, text: string) =>
  ({ id, address: "run_a", request: { kind: "note", text }, by: "cli", at: 1 }) as const;

/** A run of five events, of which the second and the fourth hold the value. */
async function leaked(journal: Journal): Promise<void> {
  await claimed(journal, "run_a");
  await journal.append(order("run_a", 0, { events: [said("one"), said(`two ${VALUE}`), said("three")] }));
  const { hash } = headIn(await journal.append(order("run_a", 3, { events: [said(LARGE), said("five")] })));
  await journal.saveSnapshot("run_a", { seq: 5, hash, fold: "1", state: JSON.stringify(VALUE) });
  await journal.ask(mail("req_1", VALUE) as never);
}

const ordered = async (journal: Journal, epoch = 1): Promise<RewriteOrder> =>
  scrubOrder(await planScrub(journal, "run_a", REMOVER), "cli", { epoch, at: 5_000, listing });

export const rewritingCases: readonly Case[] = [
  {
    title:
      "P5 a value that got into events, large values, requests and a snapshot is replaced, and the run is a chain again",
    async run({ journal, store }) {
      await written(journal, "run_b", 2);
      await leaked(journal);
      const blobs = await store.blobs();
      const before = await journal.head("run_a");
      const first = await journal.readStored("run_a", { after: 0, limit: 1 });
      const outcome = await journal.rewrite(await ordered(journal));
      assert.equal(outcome.kind, "rewritten");
      for (const handle of [journal, await store.open()]) {
        assert.deepEqual(await handle.verify(), []);
        const stored = await handle.readStored("run_a", all);
        assert.equal(stored.length, 6);
        assert.deepEqual(stored.slice(0, 1), first);
        let previous = GENESIS;
        for (const event of stored) assert.equal(event.hash, (previous = chainHash(previous, event)));
        assert.deepEqual(await handle.head("run_a"), { seq: 6, hash: previous });
        const read = await handle.read("run_a", all);
        const details = read.map(({ type, data }) => (type === "LimitReached" ? data.detail : type));
        assert.deepEqual(details[1], `two ${SCRUBBED}`);
        assert.deepEqual(details[3], `${"x".repeat(70_000)} ${SCRUBBED}`);
        const kept = JSON.stringify([read, await handle.mailTexts("run_a"), await handle.runs()]);
        assert.deepEqual(
          REMOVER.forms.filter((form) => kept.includes(form)),
          [],
        );
        assert.equal(await handle.loadSnapshot("run_a"), null);
        assert.equal((await handle.runs()).find(({ run }) => run === "run_a")?.goal, "clean");
        const [record] = await scrubsOf(handle, "run_a");
        assert.deepEqual(
          [record?.events, record?.from, record?.requests, record?.before, record?.finished],
          [[2, 4], 2, 1, before, false],
        );
        assert.equal(record?.after.hash, stored[4]?.hash);
      }
      const after = await store.blobs();
      assert.equal(after.length, 1);
      assert.notDeepEqual(after, blobs);
      await journal.append(order("run_a", 6));
      const other = await store.open();
      assert.equal((await other.head("run_b"))?.seq, 2);
      await journal.purge("all");
      assert.equal((await other.append(order("run_b", 2))).kind, "appended");
      assert.equal((await journal.head("run_b"))?.seq, 3);
      assert.ok([0, null].includes(await journal.traces(REMOVER.forms)));
      assert.deepEqual(await journal.verify(), []);
      assert.deepEqual(await (await store.open()).verify(), []);
    },
  },
  {
    title: "P5 of a request that was consumed its id is known, and its words are kept nowhere",
    async run({ journal, store }) {
      await written(journal, "run_a", 1);
      const words = `${VALUE} ${"y".repeat(20_000)}`;
      assert.equal(await journal.ask(mail("req_1", words) as never), "put");
      await journal.append(order("run_a", 1, { consumed: ["req_1"] }));
      await journal.ask({ ...mail("req_2", words), address: "sup" } as never);
      await journal.consume("sup", ["req_2"]);
      await journal.purge("requests");
      for (const handle of [journal, await store.open()]) {
        const kept = [...(await handle.mailTexts("run_a")), ...(await handle.mailTexts("sup"))];
        assert.deepEqual(
          REMOVER.forms.filter((form) => JSON.stringify(kept).includes(form)),
          [],
        );
        assert.equal(await handle.ask(mail("req_1", words) as never), "already");
        assert.deepEqual(await handle.inbox("run_a"), []);
        assert.ok([0, null].includes(await handle.traces(REMOVER.forms)));
        assert.deepEqual(await handle.verify(), []);
      }
    },
  },
  {
    title: "P5 a large value that another run names too stays there, and goes with the last that names it",
    async run({ journal, store }) {
      await leaked(journal);
      await claimed(journal, "run_b");
      await journal.append(order("run_b", 0, { events: [said(LARGE)] }));
      await journal.rewrite(await ordered(journal));
      assert.equal((await store.blobs()).length, 2);
      assert.deepEqual(await journal.verify(), []);
      assert.equal((await journal.read("run_b", all))[0]?.type, "LimitReached");
      const plan = await planScrub(journal, "run_b", REMOVER);
      await journal.rewrite(scrubOrder(plan, "cli", { epoch: 1, at: 6_000, listing }));
      assert.equal((await store.blobs()).length, 1);
      assert.deepEqual(await journal.verify(), []);
    },
  },
  {
    title: "P5 a run is rewritten only by its owner and at its head, and a refusal changes nothing (I9)",
    async run({ journal }) {
      await leaked(journal);
      const planned = await ordered(journal);
      assert.equal((await journal.rewrite({ ...planned, epoch: 2 })).kind, "fenced");
      const other = { ...planned, head: { ...planned.head, hash: "0".repeat(64) } };
      assert.equal((await journal.rewrite(other)).kind, "conflict");
      await journal.append(order("run_a", 5));
      assert.equal((await journal.rewrite(planned)).kind, "conflict");
      await journal.release("run_a", 1);
      assert.equal((await journal.rewrite(planned)).kind, "fenced");
      assert.equal((await journal.claim("run_a", owner("own_b"))).kind, "claimed");
      assert.equal((await journal.rewrite(planned)).kind, "fenced");
      assert.deepEqual((await planScrub(journal, "run_a", REMOVER)).changed, [2, 4]);
      assert.deepEqual(await journal.verify(), []);
    },
  },
];
