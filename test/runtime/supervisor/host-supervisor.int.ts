import assert from "node:assert/strict";
import { test } from "node:test";
import type { Journal } from "../../../src/journal/journal.ts";
import { memoryDisk, type MemoryDisk } from "../../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import type { World } from "../../../src/model/world.ts";
import { realWorld } from "../../../src/real-world.ts";
import { HostSupervisor } from "../../../src/runtime/supervisor/host-supervisor.ts";
import { bench, step, type Bench } from "../worked-run.ts";

const ok = () => "fine";
const QUICK = { supervisor: { scanMs: 20 }, lease: { ms: 60 } };

/** One process's view of a store, and the supervisor it would be. */
function process(
  disk: MemoryDisk,
  change: (journal: Journal) => Journal = (journal) => journal,
  world: World = realWorld(),
) {
  const view = bench({ ok }, { journal: change(memoryJournal({ world, disk })), world, host: QUICK });
  return { ...view, host: new HostSupervisor(view.ports, view.leases) };
}

/** A run that nobody owns yet. */
async function leaveRun(view: Bench, id: string): Promise<void> {
  const { run, epoch } = await view.create([step("a", "ok")], undefined, id);
  await view.leases.release(run, epoch);
}

test("O1 a host's supervisor works what it finds, ends when idle and lets go of its lease", async () => {
  const one = process(memoryDisk());
  await leaveRun(one, "r");
  assert.deepEqual(await one.host.work({ idleExitMs: 50 }), { kind: "idle" });
  assert.equal((await one.state("r")).status, "completed");
  assert.equal(await one.host.holder(), null);
  await one.close();
});

test("O1 a second supervisor of the same host finds out who the first is", async () => {
  const disk = memoryDisk();
  const [one, two] = [process(disk), process(disk)];
  const working = one.host.work();
  while ((await two.host.holder()) === null);
  const end = await two.host.work();
  assert.equal(end.kind === "held" && end.by.id, one.leases.owner.id);
  await two.host.askToEnd({ stopAgents: false, by: "test" });
  assert.deepEqual(await working, { kind: "asked", stopAgents: false });
  await one.close();
  await two.close();
});

test("O1 a supervisor of an earlier version, which named its host otherwise, is found and asked to end", async () => {
  const disk = memoryDisk();
  const { host, pid, startedAt } = realWorld().self;
  const older = process(disk, undefined, { ...realWorld(), self: { host, pid, startedAt } });
  const newer = process(disk);
  assert.notEqual(older.host.address, newer.host.address);
  const working = older.host.work();
  while ((await older.host.holder()) === null);
  assert.equal((await newer.host.holder())?.id, older.leases.owner.id);
  await newer.host.askToEnd({ stopAgents: false, by: "test" });
  assert.deepEqual(await working, { kind: "asked", stopAgents: false });
  assert.equal(await newer.host.holder(), null);
  await older.close();
  await newer.close();
});

test("O1 a shutdown that was meant for a predecessor does not end the next supervisor", async () => {
  const one = process(memoryDisk());
  await one.host.askToEnd({ stopAgents: true, by: "test" });
  await leaveRun(one, "r");
  assert.deepEqual(await one.host.work({ idleExitMs: 50 }), { kind: "idle" });
  assert.equal((await one.state("r")).status, "completed");
  await one.close();
});

test("O1 work that comes in while an idle supervisor lets go is seen by it", async () => {
  const disk = memoryDisk();
  const asker = process(disk);
  let asked = 0;
  const one = process(disk, (journal) => ({
    ...journal,
    async release(address, epoch) {
      // The asker's last chance to find the lease held: it starts no supervisor of its own.
      if (address.startsWith("supervisor:") && asked === 0) {
        asked += 1;
        await leaveRun(asker, "late");
        assert.notEqual(await asker.host.holder(), null);
      }
      await journal.release(address, epoch);
    },
  }));
  assert.deepEqual(await one.host.work({ idleExitMs: 50 }), { kind: "idle" });
  assert.equal(asked, 1);
  assert.equal((await asker.state("late")).status, "completed");
  await one.close();
  await asker.close();
});

test("O1 a supervisor that another has replaced notices it and ends", async () => {
  const disk = memoryDisk();
  const [one, two] = [process(disk), process(disk)];
  const working = one.host.work();
  while ((await two.host.holder()) === null);
  for (let outcome = "held"; outcome === "held";) {
    const seen = await two.ports.journal.lease(two.host.address);
    assert.ok(seen);
    outcome = (await two.ports.journal.takeOver(two.host.address, two.leases.owner, seen)).kind;
  }
  assert.deepEqual(await working, { kind: "replaced" });
  assert.equal((await two.host.holder())?.id, two.leases.owner.id);
  await one.close();
  await two.close();
});

test("O1 a supervisor that is asked to stop before it began ends without taking a run", async () => {
  const one = process(memoryDisk());
  await leaveRun(one, "r");
  one.host.stop();
  assert.equal((await one.host.work()).kind, "asked");
  assert.equal((await one.state("r")).status, "queued");
  await one.close();
});
