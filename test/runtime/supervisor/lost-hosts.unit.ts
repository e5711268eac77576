import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryDisk } from "../../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import type { World } from "../../../src/model/world.ts";
import { Leases } from "../../../src/runtime/leases.ts";
import {
  freeLostHosts,
  supervisorAddress,
  watchdogAddress,
} from "../../../src/runtime/supervisor/lost-hosts.ts";
import { quietWorld } from "../../journal/contract/scene.ts";

const LEASE_MS = 30_000;
const HOUR_MS = 3_600_000;

test("A2 L8 leases of supervisors whose container is gone are freed, and nobody else's", async () => {
  const disk = memoryDisk();
  const time = { ms: 1 };
  const container = (space: string) => {
    const self = { host: "pod", pid: 1, startedAt: `boot-1:${space}`, space: `pid:[${space}]` };
    const steady = (): { clock: string; ms: number } => ({ clock: "boot-1", ms: time.ms });
    const world: World = { ...quietWorld(), self, id: () => `own_${space}`, now: () => time.ms, steady };
    const journal = memoryJournal({ world, disk });
    return { journal, world, leases: new Leases(journal, world, LEASE_MS) };
  };
  const [lost, living, own] = [container("41"), container("42"), container("43")];
  for (const { leases, world } of [lost, living, own]) {
    await leases.take(supervisorAddress(world.self));
    await leases.take(watchdogAddress(world.self));
  }
  await lost.leases.take("run_a");
  const sweep = async (): Promise<string[]> => {
    await living.leases.beat();
    await freeLostHosts(own, own.leases);
    return (await own.journal.holders()).map(({ address }) => address).sort();
  };
  const all = await sweep();
  assert.equal(all.length, 7);
  time.ms += HOUR_MS;
  assert.deepEqual(await sweep(), all, "seen for the first time, it is watched for a lease");
  time.ms += LEASE_MS;
  assert.deepEqual(await sweep(), [
    "run_a",
    ...["supervisor:pod~42", "supervisor:pod~43", "watchdog:pod~42", "watchdog:pod~43"],
  ]);
});
