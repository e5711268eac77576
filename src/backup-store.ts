/**
 * Copies a store in a file to a folder, while supervisors work, and checks what was written.
 *
 * On disk: everything is written to `FOLDER.partial-…`, which nobody reads; the list of all files with their digests
 * comes last; then the folder takes its name at one stroke. A crash leaves at most a partial folder, and the same
 * command begins again.
 *
 * The journal is copied first, of one moment, with the large values that it holds. What it names lies beside it and was
 * on disk before: snapshots of files, artifacts, trusted files and spools are copied after it, so a backup holds all
 * that its journal speaks of, unless an old checkpoint was released meanwhile.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { withoutPassword } from "./cli/shell/store-url.ts";
import { copyDatabase } from "./files/open-database.ts";
import { copyFolder } from "./files/copy-folder.ts";
import { openSqliteJournal } from "./journal/sqlite/sqlite-journal.ts";
import type { BackupManifest } from "./model/host/backup-manifest.ts";
import { Fault } from "./model/fault.ts";
import { isoTime } from "./model/text/iso-time.ts";
import type { World } from "./model/world.ts";
import { sessionsFolderOf } from "./open-store.ts";
import { copyProjectStores } from "./workspace/snapshot/copy-project-stores.ts";

export const MANIFEST = "backup.json";
export const JOURNAL = "journal.db";
/** Folders beside the store, by the end of their name, and how they are called in a backup. */
export const PARTS = { "": "sessions", "-trusted": "trusted", "-artifacts": "artifacts" } as const;
export const TREES = "trees";

export interface Backup {
  readonly folder: string;
  readonly runs: number;
  readonly files: number;
  readonly bytes: number;
}

/** The file of a store that can be copied; every other kind is named with what to use instead. */
export function storeFile(store: string, what: string): string {
  if (store.startsWith("sqlite:")) return store.slice("sqlite:".length);
  throw new Fault(
    "refused",
    `${what} is refused: ${withoutPassword(store)} is no store in a file; expected sqlite:PATH — for PostgreSQL use pg_dump --format=custom and pg_restore, or the continuous archiving of its server`,
  );
}

export async function backupStore(store: string, folder: string, world: World): Promise<Backup> {
  const file = storeFile(store, "backup");
  if (!existsSync(file))
    throw new Fault("not_found", `there is no store at ${file}; name one with --store sqlite:PATH`);
  if (existsSync(folder))
    throw new Fault("refused", `backup is refused: ${folder} exists; name a folder that does not`);
  const draft = `${folder}.partial-${world.id("at")}`;
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  try {
    world.crashPoint("backup.copy.before");
    await copyParts({ store, file, draft, world });
    const runs = await checkJournal(path.join(draft, JOURNAL), world);
    const files = await digests(draft);
    const about: BackupManifest = {
      format: 1,
      madeAt: isoTime(world.now()),
      store: withoutPassword(store),
      runs,
      files,
    };
    writeFileSync(path.join(draft, MANIFEST), `${JSON.stringify(about, null, 1)}\n`);
    syncAll(draft, [...files.map((one) => one.path), MANIFEST]);
    world.crashPoint("backup.named.before");
    renameSync(draft, folder);
    syncPath(path.dirname(folder));
    world.crashPoint("backup.named.after");
    return { folder, runs, files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

interface Order {
  readonly store: string;
  readonly file: string;
  readonly draft: string;
  readonly world: World;
}

async function copyParts({ store, file, draft, world }: Order): Promise<void> {
  await copyDatabase(file, path.join(draft, JOURNAL));
  world.crashPoint("backup.copy.journal");
  const beside = sessionsFolderOf(store);
  await copyProjectStores(`${beside}-trees`, path.join(draft, TREES), world);
  for (const [end, name] of Object.entries(PARTS))
    if (existsSync(`${beside}${end}`)) copyFolder(`${beside}${end}`, path.join(draft, name));
}

/** Every event against the chain, and every large value against its digest; answers how many runs there are. */
export async function checkJournal(file: string, world: World): Promise<number> {
  const journal = await openSqliteJournal({ file, world });
  try {
    const [damage] = await journal.verify();
    if (damage !== undefined)
      throw new Fault(
        "journal_damaged",
        `the copy ${file} is damaged: ${JSON.stringify(damage).slice(0, 300)}; look at the store itself: holdfast verify`,
      );
    return (await journal.runs()).length;
  } finally {
    await journal.close();
    for (const end of ["-wal", "-shm", "-ack"]) rmSync(`${file}${end}`, { force: true });
  }
}

/** Every regular file of a folder, from it, with its digest as it is read back from disk. */
export async function digests(folder: string): Promise<BackupManifest["files"]> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files: BackupManifest["files"] = [];
  for (const name of names) {
    const found = lstatSync(path.join(folder, name));
    if (!found.isFile() || name === MANIFEST) continue;
    files.push({ path: name, bytes: found.size, sha256: await digestOf(path.join(folder, name)) });
  }
  return files;
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Files and the folders that name them are on disk before anybody learns of it. */
export function syncAll(folder: string, files: readonly string[]): void {
  const folders = new Set([""]);
  for (const file of files) {
    syncPath(path.join(folder, file));
    for (let above = path.dirname(file); above !== "."; above = path.dirname(above)) folders.add(above);
  }
  for (const one of folders) syncPath(path.join(folder, one));
}

function syncPath(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
