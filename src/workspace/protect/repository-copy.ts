import { createHash } from "node:crypto";
import { constants, type BigIntStats } from "node:fs";
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  utimes,
} from "node:fs/promises";
import path from "node:path";
import { Fault } from "../../model/fault.ts";
import type { World } from "../../model/world.ts";
import { hashOf } from "../snapshot/hash-of.ts";
import { writeWhole } from "../worktree/write-whole.ts";

/**
 * A verified copy of the `.git` folder of a tree that agents work in, in a folder of Holdfast's own.
 *
 * On disk, in a folder named after the tree: `kept/` with objects, which only grows, for objects are named by what they
 * hold; `state-N/` with everything else (refs, logs, HEAD, index, stash, configuration, hooks), each time whole; and
 * `current`, which names the last state that is complete and was compared with the original. The one that dies in
 * between leaves a state that is not named, and the next copy removes it.
 *
 * 1. What looks damaged is not copied: HEAD, configuration, index, refs and objects must be there, as they were before.
 * 2. A copy is current only if the original has not moved while it was made, and every byte of it was read back.
 * 3. Bringing it back puts what stands in its place aside, and removes nothing.
 */
export class RepositoryCopy {
  readonly #folder: string;
  readonly #tree: string;
  readonly #world: Pick<World, "crashPoint">;

  constructor(world: Pick<World, "crashPoint">, home: string, tree: string) {
    this.#world = world;
    this.#tree = tree;
    this.#folder = path.join(home, "repositories", hashOf(tree).slice(0, 24));
  }

  /** Whether the tree's repository is its own folder, and nothing of what every repository has is missing. */
  async isSound(): Promise<boolean> {
    const names = await readdir(path.join(this.#tree, ".git")).catch((): string[] => []);
    const before = await this.#current();
    const had = before === null ? [] : await readdir(before);
    const needed = ["HEAD", "objects", "refs", ...["config", "index"].filter((name) => had.includes(name))];
    return needed.every((name) => names.includes(name));
  }

  /** True where a repository was kept once. */
  async isKept(): Promise<boolean> {
    return (await this.#current()) !== null;
  }

  /** Brings the copy up to date; the repository must be sound. False where it moves too fast: the last copy stays. */
  async keep(): Promise<boolean> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) if (await this.#keepOnce()) return true;
    return false;
  }

  async #keepOnce(): Promise<boolean> {
    const git = path.join(this.#tree, ".git");
    const listed = await list(git);
    const mark = markOf(listed);
    const { current, mark: known } = await this.#record();
    await this.#keepObjects(git, listed);
    if (known === mark && current !== null) return true;
    const next = path.join(this.#folder, `state-${String(Number(current?.split("-").at(-1) ?? 0) + 1)}`);
    await rm(next, { recursive: true, force: true });
    await mkdir(next, { recursive: true, mode: 0o700 });
    for (const one of listed.filter(({ name }) => !isObject(name))) await copyOne(git, next, one);
    this.#world.crashPoint("workspace.repository.copied");
    if (markOf(await list(git)) !== mark || !(await this.isSound())) return false;
    for (const one of listed) if (!(await isSame(git, this.#placeOf(one.name, next), one))) return false;
    this.#world.crashPoint("workspace.repository.compared");
    await writeWhole(
      path.join(this.#folder, "current"),
      Buffer.from(JSON.stringify({ state: path.basename(next), mark })),
      { mode: 0o600 },
    );
    this.#world.crashPoint("workspace.repository.named");
    await this.#dropBut([path.basename(next), current ?? ""]);
    return true;
  }

  /** An object is named by what it holds: one that is there is not copied again. */
  async #keepObjects(git: string, listed: readonly Entry[]): Promise<void> {
    await mkdir(path.join(this.#folder, "kept"), { recursive: true, mode: 0o700 });
    for (const one of listed) {
      if (!isObject(one.name) || one.stat.isDirectory()) continue;
      const to = this.#placeOf(one.name, "");
      const there = await lstat(to).catch(() => null);
      if (there !== null && BigInt(there.size) === one.stat.size) continue;
      await mkdir(path.dirname(to), { recursive: true });
      await rm(to, { force: true });
      if (one.stat.size > LINKED_BYTES && (await linked(path.join(git, one.name), to))) continue;
      await copyFile(path.join(git, one.name), to, constants.COPYFILE_FICLONE).catch(unlessGone);
    }
  }

  #placeOf(name: string, state: string): string {
    return isObject(name) ? path.join(this.#folder, "kept", name) : path.join(state, name);
  }

  /** Puts the copy in the place of what is there, which is put aside; answers where that is. */
  async bringBack(): Promise<{ readonly aside: string | null; readonly files: number }> {
    const state = await this.#current();
    if (state === null)
      throw new Fault("not_found", `no copy of ${path.join(this.#tree, ".git")} was kept; expected one`);
    const fresh = path.join(this.#tree, ".git-holdfast");
    await rm(fresh, { recursive: true, force: true });
    await mkdir(fresh);
    const files = (await copyAll(state, fresh)) + (await copyAll(path.join(this.#folder, "kept"), fresh));
    this.#world.crashPoint("workspace.repository.filled");
    const git = path.join(this.#tree, ".git");
    const isThere = (await lstat(git).catch(() => null)) !== null;
    const aside = isThere ? path.join(this.#tree, "holdfast-found", `git-${String(Date.now())}`) : null;
    if (aside !== null) {
      await mkdir(path.dirname(aside), { recursive: true });
      await rename(git, aside);
      this.#world.crashPoint("workspace.repository.aside");
    }
    await rename(fresh, git);
    this.#world.crashPoint("workspace.repository.back");
    return { aside, files };
  }

  async #record(): Promise<{ readonly current: string | null; readonly mark: string | null }> {
    const text = await readFile(path.join(this.#folder, "current"), "utf8").catch(() => null);
    if (text === null) return { current: null, mark: null };
    const { state, mark } = JSON.parse(text) as { state: string; mark: string };
    return { current: state, mark };
  }

  async #current(): Promise<string | null> {
    const { current } = await this.#record();
    return current === null ? null : path.join(this.#folder, current);
  }

  async #dropBut(kept: readonly string[]): Promise<void> {
    for (const name of await readdir(this.#folder))
      if (name.startsWith("state-") && !kept.includes(name))
        await rm(path.join(this.#folder, name), { recursive: true, force: true });
  }
}

const TRIES_MAX = 3;
/** Larger files are linked where that is possible: git never writes into a pack, and copies of them cost much. */
const LINKED_BYTES = 256n * 2n ** 20n;

interface Entry {
  /** From the repository's folder. */
  readonly name: string;
  readonly stat: BigIntStats;
}

/** Of submodules too, whose repositories stand inside of this one. What else stands there is written again by git. */
const isObject = (name: string): boolean =>
  /^(?:modules\/.+\/)?objects\/(?:[0-9a-f]{2}\/[0-9a-f]+|pack\/pack-[0-9a-f]+\.[a-z]+)$/.test(name);

/** Locks and sockets are of a process, and not of the repository. */
const isPassing = (name: string, stat: BigIntStats): boolean =>
  name.endsWith(".lock") || !(stat.isFile() || stat.isDirectory() || stat.isSymbolicLink());

async function list(folder: string, inside = ""): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const one of await readdir(path.join(folder, inside)).catch((): string[] => [])) {
    const name = inside === "" ? one : `${inside}/${one}`;
    const stat = await lstat(path.join(folder, name), { bigint: true }).catch(() => null);
    if (stat === null || isPassing(name, stat)) continue;
    found.push({ name, stat });
    if (stat.isDirectory()) found.push(...(await list(folder, name)));
  }
  return found;
}

/** Changes with every file that is written, made or removed, but for objects, which only come and go. */
function markOf(listed: readonly Entry[]): string {
  const hash = createHash("sha256");
  for (const { name, stat } of listed.filter((one) => !isObject(one.name)))
    hash.update(
      `${name}\0${String(stat.mode)}\0${stat.isDirectory() ? "" : `${String(stat.size)}\0${String(stat.mtimeNs)}\0${String(stat.ino)}`}\n`,
    );
  return hash.digest("hex");
}

async function copyOne(from: string, to: string, { name, stat }: Entry): Promise<void> {
  const [source, target] = [path.join(from, name), path.join(to, name)];
  if (stat.isDirectory()) {
    await mkdir(target, { recursive: true });
    return;
  }
  await mkdir(path.dirname(target), { recursive: true });
  if (stat.isSymbolicLink()) await symlink(await readlink(source), target);
  else {
    await copyFile(source, target, constants.COPYFILE_FICLONE).catch(unlessGone);
    await utimes(target, new Date(Number(stat.atimeMs)), new Date(Number(stat.mtimeMs))).catch(unlessGone);
    await chmod(target, Number(stat.mode & 0o777n)).catch(unlessGone);
  }
}

/** What is removed while it is copied is found by the comparison. */
function unlessGone(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch {
    return false;
  }
}

/** Large files are compared by their size: reading them each time would take longer than the work. */
async function isSame(git: string, copy: string, { name, stat }: Entry): Promise<boolean> {
  if (stat.isDirectory()) return true;
  const there = await lstat(copy, { bigint: true }).catch(() => null);
  if (there === null || there.size !== stat.size) return false;
  if (isObject(name) || stat.isSymbolicLink()) return true;
  const [one, other] = await Promise.all([readFile(path.join(git, name)), readFile(copy)]);
  return one.equals(other);
}

async function copyAll(from: string, to: string): Promise<number> {
  let files = 0;
  await mkdir(to, { recursive: true });
  for (const one of await list(from)) {
    await copyOne(from, to, one);
    if (!one.stat.isDirectory()) files += 1;
    if (!(await isSame(from, path.join(to, one.name), one)))
      throw new Fault("store_failed", `${path.join(to, one.name)} could not be written as it was kept`);
  }
  return files;
}
