/**
 * Puts a backup in the place of a store that is gone.
 *
 * On disk: nothing of a store that exists is touched. The backup is checked against its list first. Each part is written
 * to a draft beside its place, synced, and takes its name at one stroke; the journal comes last. So a crash leaves no
 * store, and the same command carries on: a part that has its name is kept.
 */
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import {
  checkJournal,
  digests,
  JOURNAL,
  MANIFEST,
  PARTS,
  storeFile,
  syncAll,
  TREES,
} from "./backup-store.ts";
import { copyFolder } from "./files/copy-folder.ts";
import { plainText } from "./files/plain-file.ts";
import { processesUsing } from "./files/processes-using.ts";
import { backupManifestSchema, type BackupManifest } from "./model/host/backup-manifest.ts";
import { Fault, errorText } from "./model/fault.ts";
import type { World } from "./model/world.ts";
import { sessionsFolderOf } from "./open-store.ts";

const MANIFEST_BYTES_MAX = 512 * 2 ** 20;

export interface RestoredStore {
  readonly store: string;
  readonly madeAt: string;
  readonly runs: number;
  /** Folders beside the store that stood already, and were left as they are. */
  readonly kept: readonly string[];
}

export async function restoreStore(backup: string, store: string, world: World): Promise<RestoredStore> {
  const file = storeFile(store, "restore-store");
  const manifest = readManifest(backup);
  refuseExisting(file);
  await checkFiles(backup, manifest);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const mark = world.id("at");
  const kept = putParts(backup, sessionsFolderOf(store), { mark, world });
  const draft = `${file}.restoring-${mark}`;
  try {
    copyFileSync(path.join(backup, JOURNAL), draft);
    const runs = await checkJournal(draft, world);
    syncAll(path.dirname(draft), [path.basename(draft)]);
    world.crashPoint("restore-store.journal.before");
    // A link is refused where a store has appeared meanwhile; a rename would replace it.
    linkSync(draft, file);
    world.crashPoint("restore-store.journal.after");
    return { store, madeAt: manifest.madeAt, runs, kept };
  } finally {
    rmSync(draft, { force: true });
  }
}

function readManifest(backup: string): BackupManifest {
  const file = path.join(backup, MANIFEST);
  const text = plainText(file, { bytesMax: MANIFEST_BYTES_MAX });
  if (text === undefined)
    throw new Fault(
      "not_found",
      `${backup} is no backup: there is no ${MANIFEST} in it; name a folder that holdfast backup made`,
    );
  try {
    return backupManifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new Fault(
      "store_failed",
      `${file} cannot be read: ${errorText(error).slice(0, 200)}; use another backup`,
    );
  }
}

function refuseExisting(file: string): void {
  const pids = processesUsing(file);
  if (pids.length > 0)
    throw new Fault(
      "refused",
      `restore-store is refused: process ${pids.join(", ")} still has ${file} open; end it first: holdfast down --stop-agents, or kill ${pids.join(" ")}`,
      { retry: "later", details: { pids } },
    );
  for (const one of [file, `${file}-wal`])
    if (existsSync(one))
      throw new Fault(
        "refused",
        `restore-store is refused: ${one} exists, and no store is replaced; move it away, or name another place with --store sqlite:PATH`,
      );
}

/** Everything that differs from what was written is named, and nothing is put anywhere. */
async function checkFiles(backup: string, { files }: BackupManifest): Promise<void> {
  const found = new Map((await digests(backup)).map((one) => [one.path, one.sha256]));
  const wrong = files.filter(({ path: name, sha256 }) => found.get(name) !== sha256);
  if (wrong.length === 0) return;
  const named = wrong
    .slice(0, 3)
    .map(({ path: name }) => `${name} ${found.has(name) ? "was changed" : "is missing"}`);
  throw new Fault(
    "store_failed",
    `the backup ${backup} is damaged: ${named.join(", ")}${wrong.length > 3 ? ` and ${String(wrong.length - 3)} more` : ""}; nothing was restored — use another backup`,
    { details: { backup, damaged: wrong.map(({ path: name }) => name) } },
  );
}

interface Placing {
  readonly mark: string;
  readonly world: World;
}

function putParts(backup: string, beside: string, placing: Placing): string[] {
  const parts: [string, string][] = Object.entries(PARTS).map(([end, name]) => [
    path.join(backup, name),
    `${beside}${end}`,
  ]);
  const trees = path.join(backup, TREES);
  // Each project by itself: worktrees that still stand beside them are not touched.
  if (existsSync(trees))
    for (const name of readdirSync(trees))
      parts.push([path.join(trees, name), path.join(`${beside}-trees`, name)]);
  const kept: string[] = [];
  for (const [from, to] of parts) {
    if (!existsSync(from)) continue;
    if (existsSync(to)) kept.push(to);
    else putPart(from, to, placing);
  }
  return kept;
}

function putPart(from: string, to: string, { mark, world }: Placing): void {
  mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
  const draft = `${to}.restoring-${mark}`;
  try {
    if (from.endsWith(".db")) {
      copyFileSync(from, draft);
      syncAll(path.dirname(draft), [path.basename(draft)]);
    } else syncAll(draft, copyFolder(from, draft));
    world.crashPoint("restore-store.part.before");
    renameSync(draft, to);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
