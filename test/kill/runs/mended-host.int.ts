import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { realWorld } from "../../../src/real-world.ts";
import { salvagedName } from "../../../src/runtime/salvage-run.ts";
import { DAMAGED_RUN, DEADLY_RUN, MENDED_GROUND } from "./mended-host.ts";
import { count, strikeBoundaries, wrong } from "../strike-boundaries.ts";

const all = { after: 0, limit: 1_000 };

async function violations(folder: string): Promise<string[]> {
  const journal = await openSqliteJournal({ file: join(folder, "journal.db"), world: realWorld() });
  try {
    const salvaged = await journal.read(salvagedName(DAMAGED_RUN), all);
    const deadly = await journal.read(DEADLY_RUN, all);
    const settings = join(folder, "supervisor.settings.json");
    return [
      ...wrong("pauses lifted", count(await journal.read(MENDED_GROUND, all), "GroundReopened"), 1),
      ...wrong("runs salvaged", count(salvaged, "RunBlocked"), 1),
      ...wrong("begun by the salvaged run", count(salvaged, "RunCreated"), 1),
      // One that is reported again has the same id, and counts once.
      ...wrong("deaths", new Set(deadly.flatMap(deathIn)).size, 1),
      ...wrong("ends", count(deadly, "RunCompleted"), 1),
      ...wrong("settings kept", isWhole(settings), true),
    ];
  } finally {
    await journal.close();
  }
}

const deathIn = (event: Recorded): string[] => (event.type === "SupervisorDied" ? [event.data.death] : []);

function isWhole(file: string): boolean {
  try {
    return existsSync(file) && typeof JSON.parse(readFileSync(file, "utf8")) === "object";
  } catch {
    return false;
  }
}

const POINTS = [
  "unpause.append.before",
  "unpause.append.after",
  "salvage.copied",
  "supervisor.settings.before",
  "supervisor.settings.after",
  "watchdog.restarts.before",
  "watchdog.restarts.after",
  "deaths.note.before",
  "deaths.note.after",
  "deaths.taken.before",
  "deaths.taken.after",
];

test("J4 L7 the process that mends a host may be killed at any boundary: a pause is lifted once, a run is salvaged once, a death counts once", (t) =>
  strikeBoundaries(t, {
    program: "runs/mended-host.ts",
    watched: /^(unpause|salvage|supervisor|watchdog|deaths)\./,
    telling: POINTS,
    atOnce: 3,
    violations,
  }));
