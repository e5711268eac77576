import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryDisk } from "../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../src/journal/memory/memory-journal.ts";
import type { World } from "../../src/model/world.ts";
import { realWorld } from "../../src/real-world.ts";
import { Leases } from "../../src/runtime/leases.ts";

test("F2 an owner on a host with a longer lease is waited for that long: its agents may work until shortly before", async () => {
  const real = realWorld();
  const time = { ms: 1_000_000 };
  const self = { host: "elsewhere", pid: 7, startedAt: "then" };
  const world: World = { ...real, self, steady: () => ({ clock: "boot", ms: time.ms }) };
  const journal = memoryJournal({ world, disk: memoryDisk() });
  await journal.claim("run", { id: "own_slow", process: { ...self, host: "far", pid: 8 } });
  const leases = new Leases(journal, { ...world, liveness: () => "unknown" }, 10_000);
  leases.allowOthers(30_000);
  const kinds: string[] = [];
  for (let passed = 0; passed <= 30_000; passed += 5_000) {
    kinds.push((await leases.take("run")).kind);
    time.ms += 5_000;
  }
  assert.deepEqual(kinds, [...Array<string>(6).fill("held"), "taken"]);
  await journal.close();
});
