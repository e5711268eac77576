import { tmpdir } from "node:os";
import path from "node:path";
import { killExactly, resumeExactly } from "./agents/process-identity.ts";
import { anchorPlace } from "./cli/config/anchor-place.ts";
import { withoutPassword } from "./cli/shell/store-url.ts";
import { realSurroundings, stateFolder } from "./cli/shell/surroundings.ts";
import { anchorFile, type AnchorFile } from "./journal/anchor.ts";
import { anchoredJournal } from "./journal/anchored-journal.ts";
import type { Journal } from "./journal/journal.ts";
import { memoryJournal } from "./journal/memory/memory-journal.ts";
import { lockHolder, type LockHolder } from "./journal/sqlite/lock-holder.ts";
import { openSqliteJournal } from "./journal/sqlite/sqlite-journal.ts";
import { Fault } from "./model/fault.ts";
import type { ProcessIdentity, World } from "./model/world.ts";
import { endLockHolder, type EndedHolder } from "./runtime/supervisor/end-lock-holder.ts";
import type { Ports } from "./runtime/ports.ts";

const SQLITE = "sqlite:";

export interface OpenedStore {
  readonly journal: Journal;
  /** Sessions belong to a store: the one that opens it must find them. */
  readonly sessionsFolder: string;
  /** Where its newest events are written down in another folder; null for a store without. */
  readonly anchor: AnchorFile | null;
}

export interface StoreOptions {
  /** Values whose JSON text is longer are kept apart, once each. */
  readonly largeChars?: number;
  /** Opens a store that is older than its anchor, for a person who accepts that. */
  readonly acceptRollback?: boolean;
}

/** Opens the store that an address names, unless it is older than its anchor says. */
export async function openStore(
  store: string,
  world: World,
  options: StoreOptions = {},
): Promise<OpenedStore> {
  const { journal, sessionsFolder } = await openBare(store, world, options);
  const place = anchorPlace(store, realSurroundings());
  if (place === null) return { journal, sessionsFolder, anchor: null };
  const shown = withoutPassword(store);
  const anchor = anchorFile(place, shown, world);
  try {
    const accept = options.acceptRollback ?? false;
    return {
      journal: await anchoredJournal(journal, { anchor, store: shown, world, accept }),
      sessionsFolder,
      anchor,
    };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

async function openBare(
  store: string,
  world: World,
  { largeChars }: StoreOptions,
): Promise<Pick<OpenedStore, "journal" | "sessionsFolder">> {
  const options = largeChars === undefined ? {} : { largeChars };
  if (store.startsWith(SQLITE)) {
    const file = store.slice(SQLITE.length);
    return {
      journal: await openSqliteJournal({ file, world, ...options }),
      sessionsFolder: sessionsFolderOf(store),
    };
  }
  if (isShared(store)) {
    // Loaded here and nowhere else: the one that keeps a file does without the driver.
    const { openPostgresJournal } = await import("./journal/postgres/postgres-journal.ts");
    const journal = await openPostgresJournal({ url: store, world, ...options });
    return { journal, sessionsFolder: sessionsFolderOf(store) };
  }
  if (store === "memory:")
    return {
      journal: memoryJournal({ world, ...options }),
      sessionsFolder: sessionsFolderOf(store),
    };
  throw new Fault("usage", "the store's address is not understood: expected sqlite:PATH or postgres://…");
}

/** Whether hosts may share the store: a file is one machine's. */
export const isShared = (store: string): boolean => /^postgres(ql)?:\/\//.test(store);

export function sessionsFolderOf(store: string): string {
  if (store.startsWith(SQLITE)) return `${store.slice(SQLITE.length)}-sessions`;
  if (store === "memory:") return path.join(tmpdir(), `holdfast-memory-${String(process.pid)}`);
  return path.join(stateFolder(realSurroundings()), "sessions");
}

export interface StoreLock {
  /** Who keeps others from writing to the store, where that is known; null for nobody. */
  lockHolder(): LockHolder | null;
  /** Ends that process, once its lease is over. */
  endLockHolder(of: Pick<LockHolder, "pid" | "startedAt">): Promise<EndedHolder>;
  /** Lets a process go on that is stopped. */
  resume(of: ProcessIdentity): void;
}

/** Only a store in a file has a lock that one process can keep from the others. */
export function storeLock(
  store: string,
  { world, journal, settings }: Pick<Ports, "world" | "journal" | "settings">,
): StoreLock {
  const look = (): LockHolder | null =>
    store.startsWith(SQLITE) ? lockHolder(store.slice(SQLITE.length)) : null;
  const watched = { world, journal, leaseMs: settings.lease.ms, look, kill: killExactly(world) };
  return {
    lockHolder: look,
    resume: resumeExactly(world),
    endLockHolder: ({ pid, startedAt }) => endLockHolder(watched, { ...world.self, pid, startedAt }),
  };
}
