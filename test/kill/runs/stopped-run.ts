/**
 * The program that is killed around `stop --all` and `start`: a run of one step whose agent, a process of its own, works
 * until it is let go. A person stops the store while it works, ends all sessions, starts the store, and lets it go.
 *
 * Usage: stopped-run.ts FOLDER. Started again on the same folder it goes on where the journals stop.
 */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSystem, type System } from "../../../src/main.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { STORE_RESOURCE } from "../../../src/model/host/resource-address.ts";
import { createRun } from "../../../src/runtime/create-run.ts";
import { isStarted } from "../../built-program.ts";
import type { StruckRun } from "../struck-life.ts";

export const STOPPED_RUN = "stopped";
const LOOK_MS = 10;

const SCRIPT = {
  attempts: [
    [
      { do: "append", file: "worked", line: "{attempt}" },
      { do: "wait", file: "go" },
      { do: "claim", ok: true, text: "done" },
    ],
  ],
};

const RUN: StruckRun = {
  id: STOPPED_RUN,
  goal: "be stopped with all others",
  flow: {
    name: "stopped",
    steps: [{ name: "work", task: "work", agent: "waits", needs: [], authority: "writes", checks: [] }],
    phases: [],
  },
  agents: { waits: { use: "demo", script: "script.json" } },
  settings: runSettingsSchema.parse({ backoff: { baseMs: 1, capMs: 1 }, startup: { termGraceMs: 500 } }),
  budget: {},
};

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

const wasStarted = async ({ ports }: System): Promise<boolean> =>
  (await ports.journal.read(STORE_RESOURCE, { after: 0, limit: 1_000 })).some(
    ({ type }) => type === "StoreStarted",
  );

/** Stops the store, unless a life before did; what is left alive after it is noted. */
async function stopAndStart(system: System, folder: string): Promise<void> {
  const supervisor = system.supervisor();
  const isStopped = (await system.store.standing()).stop !== null;
  const working = isStopped ? undefined : supervisor.work();
  if (!isStopped) await until(() => existsSync(join(folder, "tree/worked")));
  await system.store.stop({ by: "test" });
  const { left } = await system.endAllSessions({
    how: "store_stopped",
    say: () => undefined,
    endProcess: () => undefined,
  });
  appendFileSync(join(folder, "left"), left.map((line) => `${line}\n`).join(""));
  await working;
  await system.store.start({ by: "test" });
}

async function live(folder: string): Promise<void> {
  const cwd = join(folder, "tree");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "script.json"), JSON.stringify(SCRIPT));
  const system = await openSystem({
    store: `sqlite:${join(folder, "journal.db")}`,
    settings: hostSettingsSchema.parse({ supervisor: { scanMs: 20 } }),
  });
  const { journal } = system.ports;
  if ((await journal.head(STOPPED_RUN)) === null) {
    const { epoch } = await createRun(system.ports, system.leases, { ...RUN, cwd, by: "test" });
    await system.leases.release(STOPPED_RUN, epoch);
  }
  if (!(await wasStarted(system))) await stopAndStart(system, folder);
  writeFileSync(join(cwd, "go"), "");
  const supervisor = system.supervisor();
  const working = supervisor.work();
  await until(async () => (await journal.runs({ statuses: ["completed", "failed", "blocked"] })).length > 0);
  supervisor.stop();
  await working;
  await system.close();
}

const [folder] = process.argv.slice(2);
if (folder !== undefined && isStarted(import.meta.filename)) void live(folder);
