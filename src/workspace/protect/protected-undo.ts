import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, mkdir, open, readlink, rename, rmdir, symlink, unlink } from "node:fs/promises";
import path from "node:path";
import type { Tampering, TrustedEntry } from "../../model/flow/protected.ts";
import type { World } from "../../model/world.ts";
import { inTree, textOfPath } from "../snapshot/tree-path.ts";
import type { Difference } from "./protected-findings.ts";
import { lstatIfThere, readOnce } from "./protected-scan.ts";
import { syncFolder, type TrustedStore } from "../snapshot/trusted-store.ts";

/** Where things lie that stood in the place of a protected file and cannot be kept as bytes. */
export const ASIDE = "holdfast-found";

export interface UndoTools {
  readonly world: World;
  readonly tree: string;
  readonly store: TrustedStore;
}

/**
 * Brings differences back to what is trusted: first what is in the way goes, deepest first, then what is missing
 * comes, parents first. Each step is one stroke (unlink, rename, chmod), so a kill leaves a difference that is smaller
 * and otherwise the same. Rejects with the reason where something cannot be brought back.
 */
export async function undoDifferences(tools: UndoTools, found: readonly Difference[]): Promise<Tampering[]> {
  const kept = new Map<string, string>();
  for (const one of [...found].reverse()) {
    const digest = await clear(tools, one);
    if (digest !== null) kept.set(one.at, digest);
  }
  for (const one of found) await bring(tools, one);
  return found.map(({ at, act }) => {
    const digest = kept.get(at);
    return { path: textOfPath(at), act, ...(digest === undefined ? {} : { found: digest }) };
  });
}

/** Keeps what is found and takes it away where it would be in the way; a file's new bytes take its place by themselves. */
async function clear(tools: UndoTools, { at, trusted }: Difference): Promise<string | null> {
  const file = await realPlace(tools, at);
  const stats = file === null ? undefined : await lstatIfThere(file);
  if (file === null || stats === undefined) return null;
  if (stats.isDirectory()) {
    if (trusted !== null && trusted.kind !== "folder") await moveAside(tools, at, file);
    return null;
  }
  const digest = await keepFound(tools, file, stats.isSymbolicLink());
  tools.world.crashPoint("protected.clear.before");
  if (digest === null) await moveAside(tools, at, file);
  else if (trusted?.kind !== "file" || !stats.isFile()) await unlink(file);
  if (trusted === null) await dropEmptyParents(tools, at);
  tools.world.crashPoint("protected.clear.after");
  return digest;
}

async function keepFound({ store }: UndoTools, file: Buffer, isLink: boolean): Promise<string | null> {
  if (isLink) return store.keep(await readlink(file, "buffer"));
  const bytes = (await readOnce(file)) ?? (await unlockAndRead(file));
  return bytes === undefined ? null : store.keep(bytes);
}

/** A file without the right to be read is read all the same: it is ours. */
async function unlockAndRead(file: Buffer): Promise<Buffer | undefined> {
  const stats = await lstatIfThere(file);
  if (stats?.isFile() !== true || (stats.mode & 0o400n) !== 0n) return undefined;
  await chmod(file, 0o600);
  return readOnce(file);
}

/** A folder, a pipe, or a file too large to keep: it loses its place and nothing else. */
async function moveAside({ tree }: UndoTools, at: string, file: Buffer): Promise<void> {
  const folder = path.join(tree, ASIDE);
  await mkdir(folder, { recursive: true });
  const name = `${at.split("/").at(-1) ?? "thing"}-${randomBytes(4).toString("hex")}`;
  await rename(file, inTree(tree, `${ASIDE}/${name}`));
}

/** Folders that were made for what is gone now; one that holds something else stays. */
async function dropEmptyParents({ tree }: UndoTools, at: string): Promise<void> {
  const names = at.split("/").slice(0, -1);
  // Only within the rules' own folders, all of which are hidden ones.
  for (; names.length > 0 && names[0]?.startsWith(".") === true; names.pop())
    try {
      await rmdir(inTree(tree, names.join("/")));
    } catch {
      // Not empty: it was there before, or holds what nobody protects.
      return;
    }
}

async function bring(tools: UndoTools, { at, act, trusted }: Difference): Promise<void> {
  if (trusted === null || act === "rewritten") return;
  const file = await realPlace(tools, at);
  if (file === null) throw new Error(`${textOfPath(at)} cannot be brought back: its folder is gone`);
  tools.world.crashPoint("protected.bring.before");
  if (trusted.kind === "folder") await bringFolder(file, at, trusted);
  else {
    const wanted = trusted.copy ?? trusted.digest ?? "";
    const bytes = await tools.store.read(wanted);
    if (bytes === null)
      throw new Error(`the trusted copy of ${textOfPath(at)} (${wanted}) is gone or changed`);
    await putInPlace(tools, at, { file, bytes, trusted });
  }
  tools.world.crashPoint("protected.bring.after");
}

async function bringFolder(file: Buffer, at: string, { mode }: TrustedEntry): Promise<void> {
  if ((await lstatIfThere(file)) === undefined) {
    if (at === ".git")
      throw new Error("the repository's own folder .git was moved or replaced; put it back first");
    await mkdir(file);
  }
  await chmod(file, mode);
}

interface Wanted {
  readonly file: Buffer;
  readonly bytes: Buffer;
  readonly trusted: TrustedEntry;
}

/** Beside it first, under a name that the next try finds and replaces, then at one stroke in its place. */
async function putInPlace({ tree }: UndoTools, at: string, { file, bytes, trusted }: Wanted): Promise<void> {
  const parent = at.includes("/") ? at.slice(0, at.lastIndexOf("/") + 1) : "";
  const name = createHash("sha256").update(at).digest("hex").slice(0, 12);
  const draft = inTree(tree, `${parent}.holdfast-undo-${name}`);
  if ((await lstatIfThere(draft)) !== undefined) await unlink(draft);
  if (trusted.kind === "link") await symlink(bytes, draft);
  else {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const handle = await open(draft, flags, 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.chmod(trusted.mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
  await rename(draft, file);
  await syncFolder(parent === "" ? tree : inTree(tree, parent.slice(0, -1)));
}

/** The path, if every folder on the way to it is a real one: nothing is ever written or removed through a link. */
async function realPlace({ tree }: UndoTools, at: string): Promise<Buffer | null> {
  const names = at.split("/");
  for (let depth = 0; depth < names.length; depth += 1) {
    const folder = depth === 0 ? Buffer.from(tree) : inTree(tree, names.slice(0, depth).join("/"));
    const stats = await lstatIfThere(folder);
    const real = depth === 0 ? stats !== undefined : stats?.isDirectory() === true;
    if (!real) return null;
  }
  return inTree(tree, at);
}
