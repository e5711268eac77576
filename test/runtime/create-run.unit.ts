import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryDisk } from "../../src/journal/memory/memory-disk.ts";
import { memoryJournal } from "../../src/journal/memory/memory-journal.ts";
import { flowSchema } from "../../src/model/flow/flow.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { realWorld } from "../../src/real-world.ts";
import { createRun, type RunOrder } from "../../src/runtime/create-run.ts";
import { Leases } from "../../src/runtime/leases.ts";

const ORDER: RunOrder = {
  id: "r",
  goal: "say hello",
  flow: flowSchema.parse({ name: "goal", steps: [{ name: "work", task: "t", agent: "demo" }] }),
  agents: { demo: { use: "demo" } },
  settings: runSettingsSchema.parse({}),
  budget: {},
  cwd: "/",
  by: "test",
};

test("P4 a run that another process is about to create is distinguished from one that is there", async () => {
  const disk = memoryDisk();
  const processOf = (pid: number) => {
    const world = { ...realWorld(), liveness: () => "alive" as const };
    const self = { ...world.self, host: "alpha", pid };
    const journal = memoryJournal({ world: { ...world, self }, disk });
    return { ports: { journal, world }, leases: new Leases(journal, { ...world, self }, 30_000) };
  };
  const [first, second] = [processOf(11), processOf(12)];
  const taken = await first.leases.take("r");
  assert.ok(taken.kind === "taken");
  await assert.rejects(
    createRun(second.ports, second.leases, ORDER),
    /process 11 on alpha is creating a run "r" just now, or died meanwhile; try again in a moment/,
  );
  await first.leases.release("r", taken.epoch);
  await createRun(first.ports, first.leases, ORDER);
  await assert.rejects(createRun(second.ports, second.leases, ORDER), /there is a run "r" already/);
});
