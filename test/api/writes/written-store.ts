import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSystem, type System } from "../../../src/main.ts";
import { continuousName, continuousSpecSchema } from "../../../src/model/continuous/continuous-spec.ts";
import type { Recorded, RunEvent } from "../../../src/model/events/events.ts";
import { stepSchema } from "../../../src/model/flow/flow.ts";
import { STORE_RESOURCE } from "../../../src/model/host/resource-address.ts";
import { missionName, missionSpecSchema } from "../../../src/model/mission/mission-spec.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { openHoldfast } from "../../../src/open-holdfast.ts";
import { git, makeRepository } from "../../cli/mission/made-repository.ts";

export const PAUSED_RUNS = ["rest", "rest-a", "rest-b"] as const;
export const PROGRAM_RUN = "program";
export const DAMAGED_RUN = "damaged";
export const SESSION = "night";
export const MISSION = "shop";
export const MISSION_FILE = "mission.yaml";
export const PAUSED_GROUND = "host:elsewhere";

/** What every write needs to have something to do: paused runs, a program's run, a damaged one, a paused host. */
export async function prepareStore(home: string, cwd: string): Promise<string> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const file = path.join(home, "holdfast.db");
  const store = `sqlite:${file}`;
  await withStore(store, async (system) => {
    for (const run of [...PAUSED_RUNS, DAMAGED_RUN]) await pausedRun(system, run, cwd);
    await pauseResource(system);
    await beginSession(system, cwd);
    await beginMission(system, cwd);
  });
  const hf = await openHoldfast({ store });
  await hf
    .run(PROGRAM_RUN, (run) => run.step("one", () => "done once").then(() => run.step("two", stuck)))
    .catch(() => undefined);
  await hf.close();
  damage(file);
  return store;
}

const stuck = (): never => {
  throw new Error("this program gets no further");
};

/** A continuous session that is paused, so that nothing of it starts. */
async function beginSession({ continuous }: System, cwd: string): Promise<void> {
  const intake = { kind: "command", command: "true" } as const;
  const spec = continuousSpecSchema.parse({ intake, cwd, agent: "demo", idle: { policy: "wait" } });
  await continuous.ask(SESSION, { kind: "begin", spec }, { by: "test" });
  await continuous.ask(SESSION, { kind: "pause" }, { by: "test" });
}

/** A mission over a repository of its own that is paused, so that nothing of it starts; and its file, for others. */
async function beginMission({ missions }: System, cwd: string): Promise<void> {
  const folder = makeRepository(path.join(cwd, "api"));
  const workstreams = [{ id: "schema", repository: "api", goal: "design the schema" }];
  const shared = { agent: "demo", workstreams };
  writeFileSync(path.join(cwd, MISSION_FILE), JSON.stringify({ ...shared, repositories: { api: "./api" } }));
  const api = { path: folder, branch: "main", commit: git(folder, "rev-parse", "HEAD") };
  const spec = missionSpecSchema.parse({ ...shared, repositories: { api }, order: ["schema"], cwd });
  await missions.ask(MISSION, { kind: "begin", spec }, { by: "test" });
  await missions.ask(MISSION, { kind: "pause" }, { by: "test" });
}

export async function withStore<T>(store: string, work: (system: System) => Promise<T>): Promise<T> {
  const system = await openSystem({ store, settings: hostSettingsSchema.parse({}) });
  try {
    return await work(system);
  } finally {
    await system.close();
  }
}

export async function pausedRun(system: System, id: string, cwd: string): Promise<void> {
  const step = stepSchema.parse({ name: "work", task: "t", agent: "demo" });
  const { epoch } = await system.createRun({
    id,
    goal: id,
    flow: { name: "one", steps: [step], phases: [] },
    agents: { demo: { use: "demo" } },
    settings: runSettingsSchema.parse({}),
    budget: {},
    cwd,
    by: "test",
  });
  await system.leases.release(id, epoch);
  await system.requests.ask(id, { kind: "pause" }, { by: "test", waitMs: 5_000 });
}

export async function pauseResource({ ports: { journal, world }, leases }: System): Promise<void> {
  const taken = await leases.take(PAUSED_GROUND);
  if (taken.kind !== "taken") throw new Error("the pause could not be prepared");
  const { seq = 0 } = (await journal.head(PAUSED_GROUND)) ?? {};
  const first = { run: "rest", priority: 0 };
  const until = 9_000_000_000_000;
  const text = "several runs died at once";
  const pause = { id: seq + 1, why: "deaths", since: 1, until, nth: 1, text, first, needed: 1 } as const;
  const event: RunEvent = { type: "GroundPaused", data: { pause } };
  await journal.append({
    run: PAUSED_GROUND,
    expected: seq,
    epoch: taken.epoch,
    at: world.now(),
    events: [event],
    listing: { status: "completed", goal: PAUSED_GROUND, wakeAt: null },
  });
  await leases.release(PAUSED_GROUND, taken.epoch);
}

/** A changed letter in one event of the run. */
function damage(file: string): void {
  const db = new DatabaseSync(file);
  const row = db.prepare("SELECT run_key FROM runs WHERE run = ?").get(DAMAGED_RUN);
  const sql =
    "UPDATE events SET data = replace(data, 'test', 'text') WHERE key >> 32 = ? AND type = 'RequestHeard'";
  const { changes } = db.prepare(sql).run(Number(row?.["run_key"]));
  db.close();
  if (changes === 0) throw new Error("nothing was damaged");
}

/** Every event that can be read, of runs and of what they share. */
export async function allEvents(store: string): Promise<Recorded[]> {
  return withStore(store, async ({ ports: { journal } }) => {
    const listed = await journal.runs({ onDamaged: () => undefined });
    const found: Recorded[] = [];
    const shared = await journal.runs({ shared: true, onDamaged: () => undefined });
    const sessions = shared
      .map((row) => row.run)
      .filter((one) => continuousName(one) !== null || missionName(one) !== null);
    for (const run of new Set([...listed.map((row) => row.run), ...sessions, PAUSED_GROUND, STORE_RESOURCE]))
      found.push(...(await journal.read(run, { after: 0, limit: 10_000 }).catch(() => [])));
    return found;
  });
}

/** How many processes of this machine have the text among their arguments or in their environment. */
export function processesWith(text: string): number {
  const { stdout } = spawnSync("sh", ["-c", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null"], {
    encoding: "latin1",
    maxBuffer: 512 * 1024 * 1024,
  });
  return stdout.split(text).length - 1;
}
