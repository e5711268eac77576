import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import { STORE_RESOURCE } from "../../../src/model/host/resource-address.ts";
import { realWorld } from "../../../src/real-world.ts";
import { STOPPED_RUN } from "./stopped-run.ts";
import { count, strikeBoundaries, wrong } from "../strike-boundaries.ts";

async function violations(folder: string): Promise<string[]> {
  const journal = await openSqliteJournal({ file: join(folder, "journal.db"), world: realWorld() });
  try {
    const events = await journal.read(STOPPED_RUN, { after: 0, limit: 100_000 });
    const switches = (await journal.read(STORE_RESOURCE, { after: 0, limit: 100 })).filter(
      ({ type }) => type === "StoreStopped" || type === "StoreStarted",
    );
    const ends = events.flatMap(({ type, data }) => (type === "AttemptEnded" ? [data] : []));
    return [
      ...wrong(
        "the store",
        switches.map(({ type }) => type),
        ["StoreStopped", "StoreStarted"],
      ),
      ...wrong("started while the store was stopped", startedWithin(events, switches), []),
      ...wrong("left alive by the stop", textOf(join(folder, "left")), ""),
      ...wrong("ends", count(events, "RunCompleted"), 1),
      ...wrong(
        "ends of attempts",
        [...new Set(ends.map(({ outcome }) => outcome))],
        ["interrupted", "succeeded"],
      ),
      ...wrong("charged", ends.filter(({ charged }) => charged).length, 0),
      ...wrong("damage", await journal.verify(), []),
    ];
  } finally {
    await journal.close();
  }
}

function startedWithin(events: readonly Recorded[], switches: readonly Recorded[]): number[] {
  const [stopped, started] = switches;
  return events.flatMap(({ type, at, seq }) =>
    type === "AttemptStarted" && at > (stopped?.at ?? Infinity) && at < (started?.at ?? 0) ? [seq] : [],
  );
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

test("B1 J4 the process that stops the whole store may be killed at any boundary: it is stopped and started once, and nothing is charged", (t) =>
  strikeBoundaries(t, {
    program: "runs/stopped-run.ts",
    watched: /^(store\.switch|session\.end|effect\.EndAgent|journal\.append)\./,
    telling: ["store.switch.before", "store.switch.after", "session.end.before", "effect.EndAgent.after"],
    // Both times that it is switched.
    also: () => ["store.switch.before#2", "store.switch.after#2"],
    atOnce: 3,
    violations,
  }));
