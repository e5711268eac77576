import assert from "node:assert/strict";
import type { Journal } from "../../../src/journal/journal.ts";
import type { World } from "../../../src/model/world.ts";
import { Leases } from "../../../src/runtime/leases.ts";
import { claimed, quietWorld, type Case, type Scene, type StoreFixture } from "./scene.ts";

const LEASE_MS = 9_000;

/** A machine's processes: all have its clock, and none can see the process that holds the lease. */
function machine(clock: string) {
  const time = { ms: 1_000_000 };
  let processes = 0;
  return {
    time,
    /** A process that looks at the run once in its life. */
    async take(store: StoreFixture, run: string): Promise<"taken" | "held"> {
      processes += 1;
      const self = { host: clock, pid: processes, startedAt: String(processes) };
      const id = (prefix: string): string => `${prefix}_${clock}_${String(processes)}`;
      const world: World = { ...quietWorld(), self, id, steady: () => ({ clock, ms: time.ms }) };
      const journal = await store.open();
      const { kind } = await new Leases(journal, world, LEASE_MS).take(run);
      await journal.close();
      return kind;
    },
  };
}

/** A process that looks again and again; it cannot see the process that holds the leases either. */
function onlooker(journal: Journal) {
  const time = { ms: 1_000_000 };
  const self = { host: "boot-1", pid: 1, startedAt: "1" };
  const steady = () => ({ clock: "boot-1", ms: time.ms });
  const world: World = { ...quietWorld(), self, id: (prefix) => `${prefix}_onlooker`, steady };
  const leases = new Leases(journal, world, LEASE_MS);
  return { time, take: async (run: string): Promise<string> => (await leases.take(run)).kind };
}

/** Processes that live for a moment each, one after the other, until one takes the run; answers how long that took. */
async function comeAndGo(store: StoreFixture, everyMs: number): Promise<number> {
  const host = machine("boot-1");
  const beganAt = host.time.ms;
  for (; host.time.ms - beganAt < 10 * LEASE_MS; host.time.ms += everyMs)
    if ((await host.take(store, "run_a")) === "taken") return host.time.ms - beganAt;
  return Infinity;
}

async function beatOn(journal: Journal, store: StoreFixture, looks: number): Promise<void> {
  const host = machine("boot-1");
  for (let look = 0; look < looks; look += 1) {
    assert.equal(await host.take(store, "run_a"), "held");
    host.time.ms += LEASE_MS / 3;
    await journal.beat("own_a");
  }
}

export const silenceCases: readonly Case[] = [
  {
    title: "A2 J1 processes that live shorter than a lease take over from a dead owner within two leases",
    async run({ journal, store }: Scene) {
      await claimed(journal, "run_a");
      assert.ok((await comeAndGo(store, LEASE_MS / 4)) <= 1.5 * LEASE_MS);
    },
  },
  {
    title: "A2 J1 nobody takes over from an owner that beats, however many processes come and go",
    async run({ journal, store }: Scene) {
      await claimed(journal, "run_a");
      await beatOn(journal, store, 12);
      assert.equal((await journal.lease("run_a"))?.owner?.id, "own_a");
    },
  },
  {
    title: "J1 what one machine saw of an owner does not shorten the wait of another, whose clock is its own",
    async run({ journal, store }: Scene) {
      await claimed(journal, "run_a");
      const [one, other] = [machine("boot-1"), machine("boot-2")];
      assert.equal(await one.take(store, "run_a"), "held");
      other.time.ms += 5 * LEASE_MS;
      assert.equal(await other.take(store, "run_a"), "held");
      other.time.ms += LEASE_MS - 1;
      assert.equal(await other.take(store, "run_a"), "held");
      other.time.ms += 1;
      assert.equal(await other.take(store, "run_a"), "taken");
    },
  },
  {
    title: "A2 J1 an owner that let go of its lease and holds it again is not taken for silent",
    async run({ journal }: Scene) {
      const { time, take } = onlooker(journal);
      const epoch = await claimed(journal, "run_a");
      assert.equal(await take("run_a"), "held");
      await journal.release("run_a", epoch);
      time.ms += 2 * LEASE_MS;
      await claimed(journal, "run_a");
      assert.equal(await take("run_a"), "held");
      time.ms += LEASE_MS;
      assert.equal(await take("run_a"), "taken");
    },
  },
  {
    title: "A2 J1 an owner that let go of one lease and took another is not taken for silent",
    async run({ journal }: Scene) {
      const { time, take } = onlooker(journal);
      const epoch = await claimed(journal, "run_a");
      assert.equal(await take("run_a"), "held");
      await journal.release("run_a", epoch);
      time.ms += 2 * LEASE_MS;
      await claimed(journal, "run_b");
      assert.equal(await take("run_b"), "held");
    },
  },
  {
    title: "A2 J1 what one lease shows of its owner's silence counts for the others",
    async run({ journal }: Scene) {
      const { time, take } = onlooker(journal);
      await claimed(journal, "run_a");
      await claimed(journal, "run_b");
      assert.equal(await take("run_a"), "held");
      time.ms += LEASE_MS;
      assert.equal(await take("run_b"), "taken");
    },
  },
];
