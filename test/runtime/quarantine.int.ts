import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { noteAborts } from "../../src/cli/supervise/sibling-processes.ts";
import { fileDeathNotes } from "../../src/file-death-notes.ts";
import { configSchema, openSystem, type System } from "../../src/index.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { Fault } from "../../src/model/fault.ts";
import { realWorld } from "../../src/real-world.ts";
import { Supervisor } from "../../src/runtime/supervisor/supervisor.ts";
import { bench, step } from "./worked-run.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-quarantine-"));
test.after(() => rmSync(folder, { recursive: true }));

/** Runs a program to its end and answers how it ended. */
async function run(
  program: string,
  ...args: string[]
): Promise<{ code: number | null; signal: string | null }> {
  const file = path.join(import.meta.dirname, program);
  const child = spawn(process.execPath, [file, ...args], { stdio: "ignore" });
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  return { code, signal };
}

test("J4 a process notes in whose turn it ended, however late and however it ended itself; a kill or a full disk is nobody's", async () => {
  const notes = fileDeathNotes(realWorld(), path.join(folder, "notes"));
  const ways = ["throws", "rejects", "exits", "aborts", "is-killed", "is-full"];
  await Promise.all(ways.map((how) => run("ends-in-turn.ts", path.join(folder, "notes"), how)));
  assert.deepEqual(notes.of("run_good"), []);
  const found = notes.of("run_bad");
  assert.deepEqual(found.map(({ how, text }) => `${how}: ${text}`).sort(), [
    "abort: process.abort()",
    "exception: too late",
    "exception: unheard",
    "exit: process.exit(0)",
  ]);
  notes.taken(found.slice(1));
  assert.deepEqual(notes.of("run_bad"), found.slice(0, 1));
  notes.close();
});

test("J4 the process that started a supervisor notes an abort of native code in a turn as the run's; a kill, an abort between turns and want of memory are nobody's", async () => {
  const place = path.join(folder, "aborts");
  const notes = fileDeathNotes(realWorld(), place);
  const log = path.join(folder, "aborts.log");
  const ends = async (how: string, says = ""): Promise<string | null> => {
    const file = path.join(import.meta.dirname, "ends-in-turn.ts");
    writeFileSync(log, "");
    const child = spawn(process.execPath, [file, place, how], { stdio: "ignore" });
    noteAborts(child, log, notes);
    writeFileSync(log, says);
    const [, signal] = (await once(child, "exit")) as [number | null, string | null];
    return signal;
  };
  assert.equal(await ends("aborts-natively"), "SIGSEGV");
  assert.deepEqual(
    notes.of("run_bad").map(({ how, text }) => `${how}: ${text}`),
    ["abort: SIGSEGV"],
  );
  assert.equal(await ends("is-killed-deciding"), "SIGKILL");
  assert.equal(await ends("is-aborted-between"), "SIGABRT");
  assert.equal(await ends("aborts-natively", "FATAL ERROR: JavaScript heap out of memory\n"), "SIGSEGV");
  assert.equal(notes.of("run_bad").length, 1);
  notes.turn("run_bad", () => undefined);
  notes.close();
  assert.deepEqual(
    readdirSync(place).filter((name) => name.startsWith("turn-")),
    [],
    "what killed processes left is removed by the next one",
  );
});

/** Two runs of which one, entered, ends the program that supervises it. */
async function withRuns(name: string, look: (store: string, system: System) => Promise<void>): Promise<void> {
  const store = path.join(folder, name);
  const system = await openSystem({ store: `sqlite:${store}`, settings: configSchema.parse({}) });
  for (const agent of ["bad", "good"]) {
    const { run: id, epoch } = await system.createRun({
      id: `run_${agent}`,
      goal: agent,
      flow: { name: "one", steps: [step("work", agent)], phases: [] },
      agents: { [agent]: { use: "function", export: agent } },
      settings: runSettingsSchema.parse({}),
      budget: {},
      cwd: folder,
      by: "test",
    });
    await system.leases.release(id, epoch);
  }
  await look(store, system).finally(() => system.close());
}

const statusOf = async (system: System, id: string): Promise<string> => {
  const state = await system.loadRun(id);
  return state?.blocked?.reason ?? state?.status ?? "none";
};

const entered = (store: string): number => readFileSync(`${store}.entered`, "utf8").split("\n").length - 1;

test("J4 a registered function that exits ends two supervisors, is quarantined by the third, and `cancel` does not run it again", () =>
  withRuns("exit.db", async (store, system) => {
    const ends = [];
    for (let nth = 0; nth < 3; nth += 1) ends.push(await run("poisoned-supervisor.ts", store));
    assert.deepEqual(ends, Array(3).fill({ code: 0, signal: null }));
    assert.equal(entered(store), 2);
    assert.equal(await statusOf(system, "run_bad"), "quarantined");
    assert.match((await system.loadRun("run_bad"))?.blocked?.detail ?? "", /by an exit: process\.exit\(0\)$/);
    assert.equal(await statusOf(system, "run_good"), "completed");
    await system.requests.ask("run_bad", { kind: "cancel" }, { by: "test", waitMs: 1_000 });
    if ((await statusOf(system, "run_bad")) !== "cancelled") await run("poisoned-supervisor.ts", store);
    assert.equal(await statusOf(system, "run_bad"), "cancelled");
    assert.equal(entered(store), 2, "a cancel starts no agent");
  }));

test(
  "J4 a supervisor that dies before a note is whole, or before it is removed, neither counts it twice nor loses the run",
  { timeout: 30_000 },
  async () => {
    let dieAt: string | null = "deaths.note.before";
    const crashPoint = (name: string): void => {
      // Not one that could be the turn's own.
      if (name === dieAt) throw new Fault("closed", `died at ${name}`);
    };
    const world = { ...realWorld(), crashPoint };
    const file = path.join(folder, "crashes");
    const b = bench({ ok: () => "done" });
    const { run: id, epoch } = await b.create([step("work", "ok")]);
    await b.leases.release(id, epoch);
    const supervise = async (): Promise<void> => {
      const deaths = fileDeathNotes(world, file);
      const supervisor = new Supervisor({ ...b.ports, world, deaths }, { only: id }, b.leases);
      await supervisor.work().finally(async () => {
        deaths.close();
        const lease = await b.ports.journal.lease(id);
        await b.leases.release(id, lease?.epoch ?? 0);
      });
    };
    const dies = (): void => {
      const deaths = fileDeathNotes(world, file);
      deaths.note(id, "exception", new Error("too late"));
      deaths.close();
    };
    const kept = (): number => readdirSync(file).length;
    dies();
    assert.throws(kept, /ENOENT/, "a process that is killed before it has written leaves nothing");
    dieAt = "deaths.note.after";
    dies();
    assert.equal(kept(), 1);
    dieAt = "deaths.taken.before";
    await assert.rejects(supervise(), /died at/);
    assert.equal((await b.state(id)).claim.deaths?.inARow, 1);
    dieAt = "deaths.taken.after";
    await assert.rejects(supervise(), /died at/);
    assert.equal((await b.state(id)).claim.deaths?.inARow, 1, "the same note counts once");
    dieAt = null;
    rmSync(file, { recursive: true, force: true });
    await supervise();
    assert.equal((await b.state(id)).status, "completed");
    await b.close();
  },
);
