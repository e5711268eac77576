import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../files/open-database.ts";
import { errorText, Fault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import { hashOf } from "./hash-of.ts";
import { freeingEnded } from "../git/orphaned-git.ts";
import { runGit } from "../git/run-git.ts";
import { settleFile } from "../worktree/settle-file.ts";

/**
 * The store of one project: a folder of Holdfast's own.
 *
 * `git/` is a bare git directory: objects, a ref per snapshot, and the only configuration that git reads. `index-…` is
 * git's index of one tree. `state.db` holds the records under their keys and what is known of each tree. `lock.db` is
 * empty: the one that works on the project holds its file lock, which the system frees when its holder dies.
 */
export interface ProjectStore {
  readonly folder: string;
  readonly gitDir: string;
  readonly db: DatabaseSync;
  /** Runs `act` while nobody else, in any process, works on this project. */
  exclusively<T>(act: () => Promise<T>): Promise<T>;
  close(): void;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS snapshot (key TEXT PRIMARY KEY, id TEXT NOT NULL, at INTEGER NOT NULL, facts TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS held (id TEXT PRIMARY KEY, ref TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS done (key TEXT PRIMARY KEY, answer TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS tree (tree TEXT PRIMARY KEY, generation INTEGER NOT NULL, facts TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS folder (tree TEXT, path TEXT, stat TEXT, mode INTEGER, PRIMARY KEY (tree, path)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS recent (tree TEXT, path TEXT, stat TEXT, mode INTEGER, oid TEXT, PRIMARY KEY (tree, path)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS odd (tree TEXT, path TEXT, mode INTEGER, PRIMARY KEY (tree, path)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS work (tree TEXT PRIMARY KEY, run TEXT NOT NULL, since INTEGER NOT NULL, state TEXT NOT NULL, files TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS aside (tree TEXT, path TEXT, reason TEXT, PRIMARY KEY (tree, path)) WITHOUT ROWID;
`;

/** What git would complain about in an agent's files is no damage: the store holds them as they are. */
const HARMLESS = [
  ...["hasDot", "hasDotdot", "hasDotgit", "gitignoreSymlink", "gitattributesSymlink", "mailmapSymlink"],
  ...["gitattributesBlob", "gitattributesLarge", "gitattributesLineLength", "gitattributesMissing"],
  ...["gitmodulesBlob", "gitmodulesLarge", "gitmodulesMissing", "gitmodulesName", "gitmodulesParse"],
  ...["gitmodulesPath", "gitmodulesSymlink", "gitmodulesUpdate", "gitmodulesUrl", "zeroPaddedFilemode"],
];

export const STORE_CONFIG = `[core]
	repositoryformatversion = 0
	bare = true
	filemode = true
	fsmonitor = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	untrackedCache = false
	protectNTFS = false
	protectHFS = false
	logAllRefUpdates = false
	sharedRepository = 0600
	fsync = committed,loose-object
[gc]
	auto = 0
[maintenance]
	auto = false
[fastimport]
	unpackLimit = 1
[pack]
	threads = 1
	writeReverseIndex = false
[fsck]
${HARMLESS.map((name) => `\t${name} = ignore\n`).join("")}`;

/** Bytes go in and out as they are, no matter what the tree's own attributes say; these outrank them. */
const STORE_ATTRIBUTES = "* -text -ident !eol !filter !diff !merge !working-tree-encoding\n";

export function storeFolderOf(home: string, project: string): string {
  const name = path.basename(project).replaceAll(/[^A-Za-z0-9._-]/g, "_");
  return path.join(home, `${name.slice(0, 40)}-${hashOf(project).slice(0, 16)}`);
}

/** The folder as the system names it: two names of one folder must not be two projects. */
export function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    throw new Fault("not_found", `${folder} cannot be used: ${errorText(error)}; name a folder that exists`, {
      cause: error,
    });
  }
}

/** The same for a place where a folder stands or stood: what is above it is there. */
export function realPlace(folder: string): string {
  return existsSync(folder)
    ? realFolder(folder)
    : path.join(realFolder(path.dirname(folder)), path.basename(folder));
}

export async function openProjectStore(home: string, project: string, world: World): Promise<ProjectStore> {
  const folder = storeFolderOf(home, project);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const gitDir = path.join(folder, "git");
  for (const name of ["lock.db", "state.db"]) makeOwnFile(path.join(folder, name));
  const lock = openDatabase(path.join(folder, "lock.db"));
  const db = openRecords(path.join(folder, "state.db"), world);
  const store: ProjectStore = {
    folder,
    gitDir,
    db,
    exclusively: oneAtATime(lock, world, async () => {
      await freeingEnded(folder, world);
      removeLeftovers(folder);
    }),
    close: () => {
      db.close();
      lock.close();
    },
  };
  await store.exclusively(async () => {
    await prepareGitDir(gitDir);
  });
  return store;
}

/** SQLite gives its other files the mode of this one. A file that is there is not opened: closing it would drop its locks. */
function makeOwnFile(file: string): void {
  if (!existsSync(file)) writeFileSync(file, "", { flag: "a", mode: 0o600 });
  chmodSync(file, 0o600);
}

/** Records that cannot be read are put aside: the snapshots themselves show what they are. */
function openRecords(file: string, world: World): DatabaseSync {
  for (const last of [false, true]) {
    const db = openDatabase(file);
    try {
      db.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      db.exec(SCHEMA);
      db.prepare("SELECT key, id, at, facts FROM snapshot LIMIT 1").get();
      return db;
    } catch (error) {
      db.close();
      if (last || !/malformed|not a database|no such column/i.test(errorText(error))) throw error;
      for (const part of ["", "-wal", "-shm"])
        if (existsSync(file + part)) renameSync(file + part, `${file}.damaged-${world.id("at")}${part}`);
    }
  }
  throw new Fault("store_failed", `${file} cannot be opened`);
}

/** Repeated at every opening: it puts right what is missing or was changed. */
async function prepareGitDir(gitDir: string): Promise<void> {
  mkdirSync(gitDir, { recursive: true, mode: 0o700 });
  if (!existsSync(path.join(gitDir, "HEAD")))
    await runGit({
      gitDir,
      args: ["init", "--quiet", "--bare", "--shared=0600", "--template=", "--object-format=sha1"],
    });
  mkdirSync(path.join(gitDir, "info"), { recursive: true, mode: 0o700 });
  settleFile(path.join(gitDir, "config"), STORE_CONFIG);
  settleFile(path.join(gitDir, "info", "attributes"), STORE_ATTRIBUTES);
}

const POLL_MS = 20;
const WAIT_MS = 15 * 60_000;

/** The one that holds the lock of a project works on it alone; the system frees it when its holder dies. */
export function oneAtATime(
  lock: DatabaseSync,
  world: World,
  begin: () => Promise<void>,
): ProjectStore["exclusively"] {
  let last: Promise<unknown> = Promise.resolve();
  const hold = async <T>(act: () => Promise<T>): Promise<T> => {
    const deadlineMs = world.now() + WAIT_MS;
    while (!tryLock(lock)) {
      if (world.now() > deadlineMs) throw storeBusy();
      await new Promise<void>((resolve) => world.timer(POLL_MS, resolve));
    }
    try {
      await begin();
      return await act();
    } finally {
      lock.exec("ROLLBACK");
    }
  };
  return (act) => {
    const turn = last.then(
      () => hold(act),
      () => hold(act),
    );
    last = turn.catch(() => undefined);
    return turn;
  };
}

function tryLock(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (/locked|busy/i.test(errorText(error))) return false;
    throw error;
  }
}

const storeBusy = (): Fault =>
  new Fault(
    "store_busy",
    `another process has worked on this project's snapshots for ${String(WAIT_MS / 60_000)} minutes; expected it to finish: look for a hanging git, then try again`,
    { retry: "later" },
  );

/** The one that died left locks of git, reports of its end and half files behind; nobody works here now but us. */
function removeLeftovers(folder: string): void {
  const gitDir = path.join(folder, "git");
  const places = [folder, gitDir, path.join(gitDir, "objects", "pack"), path.join(gitDir, "refs")];
  for (const place of places)
    for (const name of existsSync(place) ? readdirSync(place, { recursive: place.endsWith("refs") }) : [])
      if (/\.lock$|^fast_import_crash_|^tmp_/.test(String(name)))
        rmSync(path.join(place, String(name)), { force: true });
}

/** All changes to the records of a store happen wholly or not at all. */
export function inTransaction<T>(db: DatabaseSync, act: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const value = act();
    db.exec("COMMIT");
    return value;
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}
