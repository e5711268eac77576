import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openSystem, type System } from "../../src/main.ts";
import { configSchema } from "../../src/model/settings/config.ts";
import { isFault } from "../../src/model/fault.ts";
import { flowSchema } from "../../src/model/flow/flow.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { postgresMissing, startPostgres } from "../postgres-server.ts";

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

interface DamagedStore {
  readonly url: string;
  /** Runs that are there, by name, and what is done to each. */
  readonly names: readonly string[];
  /** Answers how many rows were changed. */
  readonly damage: (run: string) => Promise<number>;
}

/** Runs beside a good one, all but that damaged: none is worked, each is told once, and each continues as another. */
async function salvageAll({ url, names, damage }: DamagedStore, cwd: string): Promise<void> {
  const settings = configSchema.parse({ supervisor: { scanMs: 50 } });
  let system = await openSystem({ store: url, settings });
  try {
    for (const id of [...names, "good"]) await create(system, id, cwd);
    await system.close();
    for (const run of names) assert.equal(await damage(run), 1, run);

    system = await openSystem({ store: url, settings });
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
  } finally {
    await system.close();
  }
}

async function inFolder(work: (root: string, cwd: string) => Promise<void>): Promise<void> {
  const root = mkdtempSync(path.join(tmpdir(), "holdfast-seals-"));
  const cwd = path.join(root, "work");
  mkdirSync(cwd);
  try {
    await work(root, cwd);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

test("J1 a run whose lease, listing or end does not match its seal is left alone by name, the others go on, and salvage continues it", () =>
  inFolder(async (root, cwd) => {
    const file = path.join(root, "holdfast.db");
    const damage = (run: string): Promise<number> => {
      const db = new DatabaseSync(file);
      const { changes } = db.prepare(DAMAGES[run] ?? "").run(run);
      db.close();
      return Promise.resolve(Number(changes));
    };
    await salvageAll({ url: `sqlite:${file}`, names: Object.keys(DAMAGES), damage }, cwd);
  }));

const OF_RUN = "run_key = (SELECT run_key FROM runs WHERE run = $1)";
/** The same in the other store, where an end is a row of its own, which may also be gone or name another event. */
const SERVER_DAMAGES: Readonly<Record<string, string>> = {
  lease: "UPDATE leases SET seal = 'x' WHERE address = $1",
  listing: "UPDATE runs SET seal = 'x' WHERE run = $1",
  end: `UPDATE heads SET seal = 'x' WHERE ${OF_RUN}`,
  "end-hash": `UPDATE heads SET hash = '\\x00' WHERE ${OF_RUN}`,
  "end-missing": `DELETE FROM heads WHERE ${OF_RUN}`,
};

test("J1 the same holds of a store on PostgreSQL", { skip: postgresMissing() ?? false }, () =>
  inFolder(async (_, cwd) => {
    const server = await startPostgres();
    try {
      const damage = async (run: string): Promise<number> =>
        (await server.query(`${SERVER_DAMAGES[run] ?? ""} RETURNING 1`, [run])).length;
      await salvageAll({ url: server.url, names: Object.keys(SERVER_DAMAGES), damage }, cwd);
    } finally {
      await server.remove();
    }
  }),
);
