import type { Ports } from "../ports.ts";

/** The tree to copy, and whose store keeps snapshots of it. */
interface Wanted {
  readonly tree: string;
  readonly project?: string | undefined;
  readonly at: number;
}

interface Under {
  readonly run: string;
  readonly key: string;
}

/** So many looks a restore may have taken, each kept under a key of its own. */
const LOOKS_MAX = 3;

/**
 * Does something in a fresh copy of exactly what would be accepted: what ignore rules leave out is not there, and
 * everything that is changed in it is thrown away. Dying in between leaves a folder that the same order removes first.
 */
export async function inCleanCopy<Answer>(
  ports: Ports,
  wanted: Wanted,
  under: Under,
  act: (folder: string) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await act(await makeCleanCopy(ports, wanted, under));
  } finally {
    await dropCleanCopy(ports, under);
  }
}

/**
 * The copy alone, for the one that may have to leave it to the next owner; what an earlier try has left is removed
 * first.
 */
export async function makeCleanCopy(
  { workspace, cleanFolders, world }: Ports,
  { tree, project = tree, at }: Wanted,
  under: Under,
): Promise<string> {
  if (cleanFolders === undefined) throw new Error("there is no place for clean copies here");
  const of = nameOf(under);
  // A try of its own each time: what a restore was once recorded to have done says nothing of a new folder.
  const snapshotKey = `${of}/clean/${world.id("copy")}`;
  const folder = await cleanFolders.make(of);
  world.crashPoint("clean.made");
  const { id } = await workspace.snapshot({ key: snapshotKey, project, tree, atMs: at });
  const restoreKey = `${snapshotKey}/restore`;
  await workspace.restore({ key: restoreKey, project, tree: folder, atMs: at, snapshot: id });
  world.crashPoint("clean.copied");
  const looks = Array.from({ length: LOOKS_MAX }, (_, nth) => `${restoreKey}/before/${String(nth + 1)}`);
  await workspace.release({ project, keys: [snapshotKey, ...looks] });
  return folder;
}

export const dropCleanCopy = async ({ cleanFolders }: Ports, under: Under): Promise<void> =>
  cleanFolders?.remove(nameOf(under));

const nameOf = ({ run, key }: Under): string => `${run}/${key}`;
