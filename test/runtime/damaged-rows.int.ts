import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSystem, type System } from "../../src/main.ts";
import { configSchema } from "../../src/model/config.ts";
import { isFault } from "../../src/model/fault.ts";
import { flowSchema } from "../../src/model/flow.ts";
import { runSettingsSchema } from "../../src/model/settings.ts";

const KEY = "key >> 32 = (SELECT run_key FROM runs WHERE run = ?)";
/** What somebody or a disk has changed of a run, other than its events. */
const DAMAGES: Readonly<Record<string, string>> = {
  lease: "UPDATE leases SET seal = 'x' WHERE address = ?",
  listing: "UPDATE runs SET seal = 'x' WHERE run = ?",
  end: `UPDATE events SET hash = x'00' WHERE type = '' AND ${KEY}`,
};

async function create(system: System, id: string, cwd: string): Promise<void> {
  const step = { name: "work", task: "t", agent: "demo" };
  const { epoch } = await system.createRun({
    id,
    goal: "say hello",
    flow: flowSchema.parse({ name: "goal", steps: [step] }),
    agents: { demo: { use: "demo" } },
    settings: runSettingsSchema.parse({}),
    budget: {},
    cwd,
    by: "test",
  });
  await system.leases.release(id, epoch);
}

test("J1 a run whose lease, listing or end does not match its seal is left alone by name, the others go on, and salvage continues it", async () => {
  const root = mkdtempSync(path.join(tmpdir(), "holdfast-seals-"));
  const file = path.join(root, "holdfast.db");
  const cwd = path.join(root, "work");
  mkdirSync(cwd);
  const open = (): Promise<System> =>
    openSystem({ store: `sqlite:${file}`, settings: configSchema.parse({ supervisor: { scanMs: 50 } }) });
  const names = Object.keys(DAMAGES);
  try {
    let system = await open();
    for (const id of [...names, "good"]) await create(system, id, cwd);
    await system.close();
    const db = new DatabaseSync(file);
    for (const [run, sql] of Object.entries(DAMAGES)) assert.equal(db.prepare(sql).run(run).changes, 1, run);
    db.close();

    system = await open();
    const left: string[] = [];
    const supervisor = system.supervisor({
      onRunFault: (run, fault) => left.push(isFault(fault, "journal_damaged") ? run : String(fault)),
      onLetGo: (run) => (run === "good" ? supervisor.stop() : undefined),
    });
    await supervisor.work();
    assert.deepEqual(left.sort(), [...names].sort(), "each is told once");
    assert.equal((await system.loadRun("good"))?.status, "completed");
    for (const name of names) {
      assert.equal((await system.damageOf(name))?.code, "journal_damaged", name);
      const salvaged = await system.salvageRun(name);
      assert.deepEqual(salvaged, { run: `${name}-salvaged`, soundSeq: 1 });
      const state = await system.loadRun(salvaged.run);
      assert.deepEqual([state?.goal, state?.status], ["say hello", "blocked"]);
      assert.equal(await system.damageOf(salvaged.run), null);
    }
    await assert.rejects(system.salvageRun("good"), /salvage is refused: the journal of good is whole/);
    await system.close();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
