import { tmpdir } from "node:os";
import path from "node:path";
import { realSurroundings, stateFolder } from "./cli/surroundings.ts";
import type { Journal } from "./journal/journal.ts";
import { memoryJournal } from "./journal/memory/memory-journal.ts";
import { openSqliteJournal } from "./journal/sqlite/sqlite-journal.ts";
import { Fault } from "./model/fault.ts";
import type { World } from "./model/world.ts";

export interface OpenedStore {
  readonly journal: Journal;
  /** Sessions belong to a store: whoever opens it must find them. */
  readonly sessionsFolder: string;
}

export interface StoreOptions {
  /** Values whose JSON text is longer are kept apart, once each. */
  readonly largeChars?: number;
}

/** Opens the store that an address names. */
export async function openStore(
  store: string,
  world: World,
  options: StoreOptions = {},
): Promise<OpenedStore> {
  if (store.startsWith("sqlite:")) {
    const file = store.slice("sqlite:".length);
    return {
      journal: await openSqliteJournal({ file, world, ...options }),
      sessionsFolder: `${file}-sessions`,
    };
  }
  if (/^postgres(ql)?:\/\//.test(store)) {
    // Loaded here and nowhere else: whoever keeps a file does without the driver.
    const { openPostgresJournal } = await import("./journal/postgres/postgres-journal.ts");
    const sessionsFolder = path.join(stateFolder(realSurroundings()), "sessions");
    return { journal: await openPostgresJournal({ url: store, world, ...options }), sessionsFolder };
  }
  if (store === "memory:")
    return {
      journal: memoryJournal({ world, ...options }),
      sessionsFolder: path.join(tmpdir(), `holdfast-memory-${String(process.pid)}`),
    };
  throw new Fault("usage", "the store's address is not understood: expected sqlite:PATH or postgres://…");
}
