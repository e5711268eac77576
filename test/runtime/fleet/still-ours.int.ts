import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import type { Notifier } from "../../../src/notify/notifier.ts";
import { realWorld } from "../../../src/real-world.ts";
import { Leases } from "../../../src/runtime/leases.ts";
import { Supervisor } from "../../../src/runtime/supervisor/supervisor.ts";
import { bench, step } from "../worked-run.ts";

/** A store whose leases say at one moment that somebody else has taken the run. */
function contested(journal: Journal): { readonly journal: Journal; taken: boolean; looks: number } {
  const contest = {
    taken: false,
    looks: 0,
    journal: {
      ...journal,
      async lease(address: string) {
        const lease = await journal.lease(address);
        if (!contest.taken || lease === null || address.includes(":")) return lease;
        contest.looks += 1;
        return { ...lease, epoch: lease.epoch + 1 };
      },
    },
  };
  return contest;
}

test("F1 J1 no agent begins and nobody is notified once the store has another owner of the run", async () => {
  const world = realWorld();
  const contest = contested(memoryJournal({ world }));
  const begun: string[] = [];
  const told: string[] = [];
  const notifier: Notifier = {
    deliver({ title }) {
      told.push(title);
      return Promise.resolve({ kind: "delivered", detail: "told" });
    },
  };
  const one = bench(
    { work: () => `done ${String(begun.push("work"))}` },
    { world, journal: contest.journal, notifier, host: { supervisor: { scanMs: 10 } } },
  );
  const ports = { ...one.ports, home: () => ({ id: "host_a", name: "a" }) };
  const held = await one.create([step("s", "work")], {
    backoff: { baseMs: 1, capMs: 1 },
    notify: { channels: { me: { use: "command", command: ["true"] } } },
  });
  contest.taken = true;
  const supervisor = new Supervisor(
    ports,
    { only: held.run, held },
    new Leases(contest.journal, world, 60_000),
  );
  const worked = supervisor.work();
  while (contest.looks < 3 && begun.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual([begun, told], [[], []]);
  supervisor.stop();
  await worked;
  assert.deepEqual([begun, told], [[], []]);
  const events = await one.events(held.run);
  assert.match(JSON.stringify(events), /another process owns/);
  await one.close();
});

test("F1 J1 an agent begins under the epoch that the store has", async () => {
  const begun: string[] = [];
  const one = bench({ work: () => `done ${String(begun.push("work"))}` });
  const ports = { ...one.ports, home: () => ({ id: "host_a", name: "a" }) };
  const held = await one.create([step("s", "work")]);
  await new Supervisor(ports, { only: held.run, held }, one.leases).work();
  assert.deepEqual(begun, ["work"]);
  await one.close();
});
