import assert from "node:assert/strict";
import type { Owner } from "../../../src/journal/journal.ts";
import { claimed, owner, type Case } from "./scene.ts";

const placed = (id: string, place: { readonly space?: string; readonly machine?: string }): Owner => {
  const { process } = owner(id);
  return { id, process: { ...process, ...place } };
};

export const leasingCases: readonly Case[] = [
  {
    title: "J1 a lease is claimed by one owner; the next one is told who holds it",
    async run({ journal }) {
      assert.equal(await journal.lease("run_a"), null);
      assert.deepEqual(await journal.claim("run_a", owner("own_a")), {
        kind: "claimed",
        epoch: 1,
        from: null,
      });
      const lease = { address: "run_a", epoch: 1, owner: owner("own_a"), beats: 0 };
      assert.deepEqual(await journal.lease("run_a"), lease);
      assert.deepEqual(await journal.claim("run_a", owner("own_b")), { kind: "held", lease });
    },
  },
  {
    title: "J1 of many claims at once exactly one wins",
    async run({ journal, store }) {
      const other = await store.open();
      const claims = Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? journal : other).claim("run_a", owner(`own_${String(index)}`)),
      );
      const outcomes = await Promise.all(claims);
      assert.equal(outcomes.filter((outcome) => outcome.kind === "claimed").length, 1);
    },
  },
  {
    title: "J1 a released lease keeps its epoch, and the next claim raises it",
    async run({ journal }) {
      await claimed(journal, "run_a");
      await journal.release("run_a", 1);
      const released = { address: "run_a", epoch: 1, owner: null, beats: 0 };
      assert.deepEqual(await journal.lease("run_a"), released);
      assert.deepEqual(await journal.claim("run_a", owner("own_b")), {
        kind: "claimed",
        epoch: 2,
        from: released,
      });
    },
  },
  {
    title: "J1 a release with an old epoch changes nothing",
    async run({ journal }) {
      await claimed(journal, "run_a");
      await journal.release("run_a", 1);
      await claimed(journal, "run_a", "own_b");
      await journal.release("run_a", 1);
      await journal.release("run_none", 1);
      assert.equal((await journal.lease("run_a"))?.owner?.id, "own_b");
    },
  },
  {
    title: "J1 one beat shows life for all leases of an owner",
    async run({ journal, store }) {
      const other = await store.open();
      await claimed(journal, "run_a");
      await claimed(journal, "run_b");
      await claimed(journal, "run_c", "own_c");
      await journal.beat("own_a");
      await journal.beat("own_a");
      assert.equal((await other.lease("run_a"))?.beats, 2);
      assert.equal((await other.lease("run_b"))?.beats, 2);
      assert.equal((await other.lease("run_c"))?.beats, 0);
    },
  },
  {
    title: "B6 everybody sees who holds which lease, and how long ago each holder gave a sign of life",
    async run({ journal, store }) {
      const other = await store.open();
      await claimed(journal, "run_a");
      await claimed(journal, "run_b", "own_b");
      await claimed(journal, "run_c", "own_c");
      await journal.release("run_c", 1);
      await journal.beat("own_b");
      const held = (await other.holders()).sort((a, b) => (a.address < b.address ? -1 : 1));
      assert.deepEqual(
        held.map(({ address, epoch, owner: by }) => [address, epoch, by]),
        [
          ["run_a", 1, owner("own_a")],
          ["run_b", 1, owner("own_b")],
        ],
      );
      for (const { beatAgeMs } of held) assert.ok(beatAgeMs !== null && beatAgeMs >= 0 && beatAgeMs < 60_000);
    },
  },
  {
    title: "J1 a beat of somebody who holds nothing changes nothing",
    async run({ journal }) {
      await journal.beat("own_nobody");
      assert.deepEqual(await journal.verify(), []);
    },
  },
  {
    title: "J1 a silent owner is taken over from, once, by whoever saw it last as it is",
    async run({ journal }) {
      await claimed(journal, "run_a");
      const seen = await journal.lease("run_a");
      assert.ok(seen !== null);
      const [first, second] = await Promise.all([
        journal.takeOver("run_a", owner("own_b"), seen),
        journal.takeOver("run_a", owner("own_c"), seen),
      ]);
      assert.deepEqual(first, { kind: "claimed", epoch: 2, from: seen });
      assert.equal(second.kind, "held");
      assert.equal((await journal.lease("run_a"))?.owner?.id, "own_b");
    },
  },
  {
    title: "J1 an owner that showed any sign of life since it was seen is not taken over from",
    async run({ journal }) {
      await claimed(journal, "run_a");
      const seen = await journal.lease("run_a");
      assert.ok(seen !== null);
      await journal.beat("own_a");
      const refused = await journal.takeOver("run_a", owner("own_b"), seen);
      assert.deepEqual(refused, { kind: "held", lease: { ...seen, beats: 1 } });
      await journal.release("run_a", 1);
      const current = await journal.lease("run_a");
      assert.ok(current !== null);
      assert.equal((await journal.takeOver("run_a", owner("own_b"), { ...seen, beats: 1 })).kind, "held");
      assert.equal((await journal.takeOver("run_a", owner("own_b"), current)).kind, "claimed");
    },
  },
  {
    title: "J1 an address without a journal can be held too",
    async run({ journal }) {
      assert.equal(await claimed(journal, "supervisor:here"), 1);
      assert.equal(await journal.head("supervisor:here"), null);
      assert.deepEqual(await journal.runs(), []);
    },
  },
  {
    title: "A3 a lease names the machine and the PID namespace of its holder, as far as they are known",
    async run({ journal, store }) {
      const owners = [
        placed("own_a", { space: "pid:[1]", machine: "m1" }),
        placed("own_b", { space: "" }),
        placed("own_c", {}),
      ];
      for (const by of owners) await journal.claim(`run_${by.id}`, by);
      const other = await store.open();
      for (const by of owners) assert.deepEqual((await other.lease(`run_${by.id}`))?.owner, by);
      const held = (await other.holders()).map((holder) => holder.owner);
      assert.deepEqual(
        held.sort((a, b) => (a.id < b.id ? -1 : 1)),
        owners,
      );
      const moved = placed("own_a", { space: "pid:[2]" });
      const seen = await other.lease("run_own_a");
      assert.ok(seen !== null);
      assert.equal((await other.takeOver("run_own_a", moved, seen)).kind, "claimed");
      assert.deepEqual((await journal.lease("run_own_a"))?.owner, moved);
      assert.deepEqual(await journal.verify(), []);
    },
  },
  {
    title: "J1 what an observer saw of a holder is found by later processes, and goes with the holder",
    async run({ journal, store }) {
      const epoch = await claimed(journal, "run_a");
      const lease = { address: "run_a", epoch };
      const sighting = { owner: "own_a", observer: "boot-1", beats: 0, seenAt: 5_000 };
      assert.equal(await journal.sighting("own_a", "boot-1"), null);
      await journal.noteSighting(sighting, lease);
      const other = await store.open();
      assert.deepEqual(await other.sighting("own_a", "boot-1"), sighting);
      assert.equal(await other.sighting("own_a", "boot-2"), null);
      await journal.beat("own_a");
      const later = { ...sighting, beats: 1, seenAt: 6_000 };
      await other.noteSighting(later, lease);
      assert.deepEqual(await journal.sighting("own_a", "boot-1"), later);
      await journal.release("run_a", epoch);
      await claimed(journal, "run_a");
      assert.equal(await journal.sighting("own_a", "boot-1"), null);
      assert.deepEqual(await journal.verify(), []);
    },
  },
  {
    title: "J1 a sight of a lease that was let go or of beats that have passed is not noted",
    async run({ journal }) {
      const epoch = await claimed(journal, "run_a");
      await journal.beat("own_a");
      const sighting = { owner: "own_a", observer: "boot-1", beats: 1, seenAt: 1 };
      await journal.noteSighting({ ...sighting, beats: 0 }, { address: "run_a", epoch });
      await journal.noteSighting(sighting, { address: "run_a", epoch: epoch + 1 });
      await journal.noteSighting(sighting, { address: "run_b", epoch });
      await journal.noteSighting({ ...sighting, owner: "own_b" }, { address: "run_a", epoch });
      assert.equal(await journal.sighting("own_a", "boot-1"), null);
      assert.equal(await journal.sighting("own_b", "boot-1"), null);
    },
  },
];
