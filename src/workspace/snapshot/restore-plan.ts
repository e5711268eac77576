import { ancestorsOf, parentOf, type BytePath } from "./byte-path.ts";
import type { SnapshotListing } from "./list-snapshot.ts";
import type { Known } from "./tree-memory.ts";

/** What has to be done to a tree so that it becomes what a snapshot holds. */
export interface RestorePlan {
  /** Files of the tree that the target does not have as files. */
  readonly removals: BytePath[];
  /** Folders to be removed, innermost first. */
  readonly emptied: BytePath[];
  /** Folders to be made, outermost first. */
  readonly made: BytePath[];
  readonly writes: readonly (Known & { readonly path: BytePath })[];
  /** Folders whose permissions are set last, innermost first, for one may forbid writing into it. */
  readonly permissions: readonly { readonly path: BytePath; readonly mode: number }[];
}

const depth = (path: BytePath): number => (path === "" ? 0 : path.split("/").length);

export function planRestore(
  now: SnapshotListing,
  target: SnapshotListing,
  only: readonly BytePath[] | null,
): RestorePlan {
  const wanted = wantedBy(only);
  const removals = [...now.files.keys()].filter(
    (path) => wanted(path) && !target.files.has(path) && !target.skipped.has(path),
  );
  const writes = [...target.files]
    .filter(([path]) => wanted(path))
    .filter(([path, { mode, oid }]) => {
      const there = now.files.get(path);
      return there?.oid !== oid || there.mode !== mode;
    })
    .map(([path, known]) => ({ path, ...known }));
  const needed = new Set(writes.flatMap(({ path }) => ancestorsOf(path)));
  const folders = [...target.folders].filter(([path]) => wanted(path) || needed.has(path));
  const emptied = [...now.folders.keys()].filter((path) => wanted(path) && !target.folders.has(path));
  const made = folders.map(([path]) => path).filter((path) => !now.folders.has(path));
  const touched = new Set(made);
  // Everything that is done in a folder may need its permissions changed for a moment.
  const worked = new Set([...needed, ...removals.map(parentOf), ...writes.map(({ path }) => parentOf(path))]);
  const permissions = [...target.folders]
    .map(([path, mode]) => ({ path, mode: wanted(path) ? mode : (now.folders.get(path) ?? mode) }))
    .filter(({ path, mode }) => touched.has(path) || worked.has(path) || now.folders.get(path) !== mode);
  return {
    removals,
    emptied: emptied.sort((a, b) => depth(b) - depth(a)),
    made: made.sort((a, b) => depth(a) - depth(b)),
    writes,
    permissions: permissions.sort((a, b) => depth(b.path) - depth(a.path)),
  };
}

const wantedBy =
  (only: readonly BytePath[] | null) =>
  (path: BytePath): boolean =>
    only === null || only.some((one) => path === one || path.startsWith(`${one}/`));

/** Files of a tree that are neither as they were expected nor as they are to become: somebody has changed them. */
export function stirredFiles(
  now: SnapshotListing,
  target: SnapshotListing,
  { expected, only }: { readonly expected: SnapshotListing; readonly only: readonly BytePath[] | null },
): BytePath[] {
  const all = new Set([now, target, expected].flatMap(({ files }) => [...files.keys()]));
  const isSame = (path: BytePath, other: SnapshotListing): boolean => {
    const [one, two] = [now.files.get(path), other.files.get(path)];
    return one?.oid === two?.oid && one?.mode === two?.mode;
  };
  return [...all].filter(wantedBy(only)).filter((path) => !isSame(path, expected) && !isSame(path, target));
}

/** A target in which these files stay as they are. */
export function sparing(
  target: SnapshotListing,
  now: SnapshotListing,
  paths: readonly BytePath[],
): SnapshotListing {
  const files = new Map(target.files);
  for (const path of paths) {
    const there = now.files.get(path);
    if (there === undefined) files.delete(path);
    else files.set(path, there);
  }
  return { ...target, files };
}

export const isEmptyPlan = (plan: RestorePlan): boolean =>
  plan.removals.length + plan.emptied.length + plan.made.length + plan.writes.length === 0 &&
  plan.permissions.length === 0;
