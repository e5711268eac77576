/**
 * A program that is killed: what people and siblings do for a host in trouble. Somebody lifts a pause, has a damaged run
 * continued as another one, a sibling counts its restarts, and a note about a death is taken up. Started again on the
 * same folder it does what is not done yet.
 *
 * Usage: mended-host.ts FOLDER
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Invocation } from "../../../src/cli/shell/invocation.ts";
import { keepLastSettings } from "../../../src/cli/supervise/last-settings.ts";
import { openSystem, type System } from "../../../src/main.ts";
import { hostConfigSchema } from "../../../src/model/settings/host-config.ts";
import { stepSchema } from "../../../src/model/flow/flow.ts";
import type { Pause } from "../../../src/model/host/shared-resource.ts";
import { hostSettingsSchema, runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { createRun } from "../../../src/runtime/create-run.ts";
import { isStarted } from "../../built-program.ts";

export const MENDED_GROUND = "host:mended";
export const DAMAGED_RUN = "damaged";
export const DEADLY_RUN = "deadly";

const PAUSE: Pause = {
  id: 1,
  why: "deaths",
  since: 1,
  until: 9_000_000_000_000,
  nth: 1,
  text: "several runs died at once",
  first: { run: DEADLY_RUN, priority: 0 },
  needed: 1,
};

async function prepare({ ports, leases }: System, folder: string): Promise<void> {
  const { journal, world } = ports;
  if (existsSync(join(folder, "prepared"))) return;
  if ((await journal.head(MENDED_GROUND)) === null) {
    const taken = await leases.take(MENDED_GROUND);
    if (taken.kind !== "taken") throw new Error("the pause could not be prepared");
    await journal.append({
      run: MENDED_GROUND,
      expected: 0,
      epoch: taken.epoch,
      at: world.now(),
      events: [{ type: "GroundPaused", data: { pause: PAUSE } }],
      listing: { status: "completed", goal: MENDED_GROUND, wakeAt: null },
    });
    await leases.release(MENDED_GROUND, taken.epoch);
  }
  for (const id of [DAMAGED_RUN, DEADLY_RUN]) {
    if ((await journal.head(id)) !== null) continue;
    const { epoch } = await createRun(ports, leases, {
      id,
      goal: id,
      flow: {
        name: "one",
        steps: [stepSchema.parse({ name: "work", task: "t", agent: "returns" })],
        phases: [],
      },
      agents: { returns: { use: "function", export: "returns" } },
      settings: runSettingsSchema.parse({}),
      budget: {},
      cwd: folder,
      by: "test",
    });
    if (id === DAMAGED_RUN) await appendMore(ports, epoch);
    await leases.release(id, epoch);
  }
  damage(join(folder, "journal.db"));
  writeFileSync(join(folder, "prepared"), "");
}

const appendMore = ({ journal, world }: System["ports"], epoch: number): Promise<unknown> =>
  journal.append({
    run: DAMAGED_RUN,
    expected: 1,
    epoch,
    at: world.now(),
    events: [{ type: "RunStopping", data: { to: "paused", stop: "operator" } }],
    listing: { status: "paused", goal: DAMAGED_RUN, wakeAt: null },
  });

/** A changed word in the last event of the run. */
function damage(file: string): void {
  const db = new DatabaseSync(file);
  const row = db.prepare("SELECT run_key FROM runs WHERE run = ?").get(DAMAGED_RUN);
  db.prepare(
    "UPDATE events SET data = replace(data, 'operator', 'oferator') WHERE key >> 32 = ? AND type = ?",
  ).run(Number(row?.["run_key"]), "RunStopping");
  db.close();
}

async function main(folder: string): Promise<void> {
  const system = await openSystem({
    store: `sqlite:${join(folder, "journal.db")}`,
    settings: hostSettingsSchema.parse({ supervisor: { scanMs: 20 } }),
    functions: new Map([["returns", () => "done"]]),
  });
  await prepare(system, folder);
  await system.unpause(MENDED_GROUND, { by: "test" });
  await system.salvageRun(DAMAGED_RUN);
  const call = { stateFolder: folder, store: { isDefault: true, named: null, file: "journal.db", url: "" } };
  keepLastSettings(call as unknown as Invocation, hostConfigSchema.parse({}), (name) =>
    system.ports.world.crashPoint(name),
  );
  system.ports.deaths?.restarts.write({ inARow: 2, nextAt: 5 });
  await survive(system);
  await system.close();
}

/** A supervisor ended once in a turn of the run, and the next one takes that up. */
async function survive(system: System): Promise<void> {
  const state = await system.loadRun(DEADLY_RUN);
  if (state?.status === "completed") return;
  const { deaths } = system.ports;
  if (state?.claim.deaths === undefined && deaths?.of(DEADLY_RUN).length === 0)
    deaths.note(DEADLY_RUN, "exception", new Error("too late"));
  await system.supervisor({ only: DEADLY_RUN }).work();
}

const [folder] = process.argv.slice(2);
if (folder !== undefined && isStarted(import.meta.filename)) await main(folder);
