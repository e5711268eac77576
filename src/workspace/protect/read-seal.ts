import { createHash } from "node:crypto";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import path from "node:path";
import { readPlain } from "../../files/plain-file.ts";
import { runGit } from "../git/run-git.ts";
import { shadowRepository, type ShadowRepository } from "../git/shadow-repository.ts";
import { findRepository, firstLine } from "../git/user-repository.ts";

/** How a repository stands: its refs, and HEAD and index of the trees that matter. */
export interface RepositoryState {
  readonly refs: Readonly<Record<string, RefState>>;
  readonly places: readonly PlaceState[];
  /** Git's configuration, attributes and hooks by their digests; a record of an earlier version has none. */
  readonly governing?: Readonly<Record<string, string>>;
}

export interface RefState {
  readonly oid: string;
  /** Who made the object that it names: the committer of a commit, the tagger of a tag. */
  readonly email: string;
}

export interface PlaceState {
  readonly tree: string;
  /** The text of the HEAD file. */
  readonly head: string | null;
  /** The git tree of what is staged; null where there is none, or a merge is not finished. */
  readonly index: string | null;
}

/** Where what is undone is kept: of Holdfast's own, and in no comparison. */
export const KEPT_REFS = "refs/holdfast/";

/** Null where there is no repository whose refs can be read. */
export function sealable(storeFolder: string, tree: string): ShadowRepository | null {
  if (findRepository(tree) === null) return null;
  try {
    return shadowRepository(storeFolder, tree);
  } catch {
    // A layout that Holdfast does not write to either: nothing is known of it, and nothing is undone.
    return null;
  }
}

export async function readRepository(
  { shadow, gitDir, commonDir }: ShadowRepository,
  trees: readonly string[],
): Promise<RepositoryState> {
  const format = "--format=%(refname)%00%(objectname)%00%(committeremail)%(taggeremail)";
  const listed = (await runGit({ gitDir: shadow, args: ["for-each-ref", format] })).output.toString();
  const refs: Record<string, RefState> = {};
  for (const line of listed.split("\n")) {
    const [name = "", oid, email = ""] = line.split("\0");
    if (oid !== undefined && !name.startsWith(KEPT_REFS))
      refs[name] = { oid, email: email.replaceAll(/[<>]/g, "") };
  }
  const places: PlaceState[] = [];
  for (const tree of new Set(trees)) places.push(await readPlace(shadow, tree));
  return { refs, places, governing: governingFiles([gitDir, commonDir]) };
}

async function readPlace(shadow: string, tree: string): Promise<PlaceState> {
  const gitDir = findRepository(tree)?.gitDir;
  if (gitDir === undefined) return { tree, head: null, index: null };
  return {
    tree,
    head: firstLine(path.join(gitDir, "HEAD")),
    index: await stagedTree(shadow, path.join(gitDir, "index")),
  };
}

export async function stagedTree(shadow: string, index: string): Promise<string | null> {
  if (!existsSync(index)) return null;
  const { code, output } = await runGit({ gitDir: shadow, index, args: ["write-tree"], answers: [1, 128] });
  return code === 0 ? output.toString().trim() : null;
}

const NAMES = ["config", "config.worktree", "info/attributes", "info/exclude", "info/grafts"];
const HOOKS_MAX = 200;
const BYTES_MAX = 4 * 1024 * 1024;

/** A digest of each file in a git directory by which the repository has git run programs or treat files differently. */
function governingFiles(folders: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const folder of new Set(folders))
    for (const name of [...NAMES, ...hooksOf(folder)]) {
      const digest = digestOf(path.join(folder, name));
      if (digest !== undefined) found[name] = digest;
    }
  return found;
}

function hooksOf(folder: string): string[] {
  try {
    const names = readdirSync(path.join(folder, "hooks")).filter((name) => !name.endsWith(".sample"));
    return names
      .sort()
      .slice(0, HOOKS_MAX)
      .map((name) => `hooks/${name}`);
  } catch {
    return [];
  }
}

function digestOf(file: string): string | undefined {
  const read = readPlain(file, { bytesMax: BYTES_MAX });
  if (read.kind === "absent") return undefined;
  const hash = createHash("sha256");
  if (read.kind === "read") hash.update(`${String(read.stats.mode)}\0`).update(read.bytes);
  else hash.update(`${read.why}\0${read.why === "link" ? readlinkSync(file) : read.problem}`);
  return hash.digest("hex").slice(0, 40);
}
