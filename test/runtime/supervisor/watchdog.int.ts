import assert from "node:assert/strict";
import { test } from "node:test";
import type { Journal } from "../../../src/journal/journal.ts";
import { memoryDisk, type MemoryDisk } from "../../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import { Fault } from "../../../src/model/fault.ts";
import { realWorld } from "../../../src/real-world.ts";
import { HostSupervisor } from "../../../src/runtime/supervisor/host-supervisor.ts";
import { dismissWatchdog, Watchdog } from "../../../src/runtime/supervisor/watchdog.ts";
import { watchdogAddress } from "../../../src/runtime/supervisor/lost-hosts.ts";
import { bench } from "../worked-run.ts";

const QUICK = { supervisor: { scanMs: 20 }, lease: { ms: 60 }, watchdog: { lookMs: 20 } };

/** One process's view of a store, and the sibling that it would be; what it does is written down instead of done. */
function dog(disk: MemoryDisk, change: (journal: Journal) => Journal = (journal) => journal) {
  const world = realWorld();
  const view = bench({}, { journal: change(memoryJournal({ world, disk })), world, host: QUICK });
  const done: string[] = [];
  const there = { store: true };
  const watchdog = new Watchdog(view.ports, view.leases, {
    hands: { end: (_, how) => done.push(`end ${how}`), start: () => done.push("start") },
    say: () => undefined,
    isService: false,
    isStoreThere: () => there.store,
    holdsStore: () => false,
  });
  return { ...view, host: new HostSupervisor(view.ports, view.leases), watchdog, done, there };
}

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + 30_000; !(await holds()); await new Promise((go) => setTimeout(go, 5)))
    assert.ok(Date.now() < end, "it never came to that");
};

test("L8 a sibling without a supervisor to watch, or without its store, ends by itself and starts nothing", async () => {
  const lonely = dog(memoryDisk());
  assert.deepEqual(await lonely.watchdog.work(), { kind: "needless" });
  lonely.there.store = false;
  assert.deepEqual(await lonely.watchdog.work(), { kind: "store_gone" });
  assert.deepEqual(lonely.done, []);
  await lonely.close();
});

test("L8 there is one sibling; it ends with its supervisor, which says so when it ends as it should", async () => {
  const disk = memoryDisk();
  const [keeper, one, two] = [dog(disk), dog(disk), dog(disk)];
  const sibling = { hands: { end: () => undefined, start: () => undefined }, say: () => undefined };
  const working = keeper.host.work({ sibling });
  await until(async () => (await one.host.holder()) !== null);
  const watching = one.watchdog.work();
  await until(async () => (await dismissible(two)) !== null);
  assert.deepEqual(await two.watchdog.work(), { kind: "held" });
  keeper.host.stop();
  assert.deepEqual(await working, { kind: "asked", stopAgents: false });
  assert.deepEqual(await watching, { kind: "dismissed" });
  assert.deepEqual([one.done, two.done], [[], []]);
  for (const view of [keeper, one, two]) await view.close();
});

const dismissible = async ({ ports }: ReturnType<typeof dog>) =>
  (await ports.journal.lease(watchdogAddress(ports.world.self)))?.owner ?? null;

test("L8 a store that does not answer for a while shows nothing, and so nothing is done about it", async () => {
  const disk = memoryDisk();
  const failing = { left: 0 };
  const keeper = dog(disk);
  const one = dog(disk, (journal) => ({
    ...journal,
    lease(address) {
      if (failing.left <= 0) return journal.lease(address);
      failing.left -= 1;
      return Promise.reject(new Fault("store_unavailable", "the server is away"));
    },
  }));
  const working = keeper.host.work();
  await until(async () => (await one.host.holder()) !== null);
  const watching = one.watchdog.work();
  await until(async () => (await dismissible(keeper)) !== null);
  failing.left = 10;
  await until(() => failing.left <= 0);
  assert.deepEqual(one.done, []);
  await dismissWatchdog(keeper.ports, "cli");
  // Told by a person, it sees the supervisor out.
  assert.deepEqual(await watching, { kind: "dismissed" });
  assert.deepEqual((await working).kind, "asked");
  for (const view of [keeper, one]) await view.close();
});
