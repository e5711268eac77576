/**
 * Removes what ended runs have left on disk: their worktrees, branches that are merged, and what their agents printed.
 *
 * On disk: a worktree goes only once all of it is in a verified snapshot (I10), which stays; a branch only if the branch
 * of the project holds its commits; spools only of sessions without a living process. The run is owned meanwhile, so
 * nobody wakes it. Killed anywhere, what is left is found by the next call; nothing in the journal changes, and a run
 * that is opened again has its worktree made again.
 */
import type { Journal, RunListing } from "../../journal/journal.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { ENDED_STATUSES } from "../../model/state/run-status.ts";
import type { World } from "../../model/world.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { Leases } from "../leases.ts";
import { loadKnownRun } from "../load-run.ts";

export interface Garbage {
  readonly run: string;
  readonly kind: "worktree" | "branch" | "spool";
  /** The folder, or the branch and its project. */
  readonly what: string;
  readonly bytes: number;
  /** Why it stays; null for what may go. */
  readonly keptBecause: string | null;
}

interface Spool {
  readonly session: string;
  readonly folder: string;
  readonly bytes: number;
}

export interface GarbagePorts {
  readonly journal: Journal;
  readonly leases: Leases;
  readonly world: World;
  readonly workspace: Pick<
    Workspace,
    "worktrees" | "removeWorktree" | "head" | "compareCommits" | "branchCommit" | "dropBranch"
  >;
  readonly spools: () => readonly Spool[];
  /** Sessions of which a process lives, as far as that can be seen. */
  readonly living: () => readonly { readonly session: string }[] | "unknown";
  readonly removeSpool: (spool: Spool) => void;
  readonly bytesOf: (folder: string) => number;
}

/** What ended runs that are unchanged since then have left, and for each why it stays, if it does. Changes nothing. */
export async function findGarbage(ports: GarbagePorts, unchangedSince: number): Promise<Garbage[]> {
  const all = await ports.journal.runs({ onDamaged: () => undefined });
  const ended = all.filter(
    ({ status, updatedAt }) => ENDED_STATUSES.includes(status) && updatedAt <= unchangedSince,
  );
  const spools = ports.spools();
  const found: Garbage[] = [];
  for (const { run } of ended) {
    const state = await loadKnownRun(ports.journal, run).catch(() => null);
    if (state === null) continue;
    const held = (await ports.leases.isHeld(run)) ? "somebody works on the run" : null;
    const own = [...(await treeGarbage(ports, state)), ...spoolGarbage(ports, run, { all, spools })];
    found.push(...own.map((one) => (held === null ? one : { ...one, keptBecause: held })));
  }
  return found;
}

async function treeGarbage(ports: GarbagePorts, { run, workspace }: RunState): Promise<Garbage[]> {
  const { worktree, trees } = workspace;
  const places = [...(worktree === null ? [] : [worktree]), ...Object.values(trees)];
  const found: Garbage[] = [];
  for (const { project, tree, branch } of places) {
    const standing = await ports.workspace.worktrees(project).catch(() => null);
    if (standing === null) continue;
    if (standing.some((one) => one.tree === tree))
      found.push({ run, kind: "worktree", what: tree, bytes: ports.bytesOf(tree), keptBecause: null });
    const commit = await ports.workspace.branchCommit(project, branch);
    if (commit === null) continue;
    const keptBecause = await notMerged(ports, { run, project, commit });
    found.push({ run, kind: "branch", what: `${branch} in ${project}`, bytes: 0, keptBecause });
  }
  return found;
}

async function notMerged(
  { workspace }: GarbagePorts,
  { run, project, commit }: { readonly run: string; readonly project: string; readonly commit: string },
): Promise<string | null> {
  const head = await workspace.head(project);
  if (head.kind !== "git" || head.commit === null) return "its project is on no commit";
  if (head.commit === commit) return null;
  const { relation } = await workspace.compareCommits({ project, tree: project }, commit, head.commit);
  return relation === "forward" ? null : `its commits are not in your branch: holdfast accept ${run}`;
}

/** A session belongs to the run with the longest name that it begins with. */
function spoolGarbage(
  ports: GarbagePorts,
  run: string,
  { all, spools }: { readonly all: readonly RunListing[]; readonly spools: readonly Spool[] },
): Garbage[] {
  const living = ports.living();
  const keptBecause = (session: string): string | null => {
    if (living === "unknown") return "which processes live cannot be seen here";
    return living.some((one) => one.session === session)
      ? `a process of it lives: holdfast investigate ${run}`
      : null;
  };
  const isOf = (session: string, name: string): boolean => session.startsWith(`${name}.`);
  return spools
    .filter(
      ({ session }) =>
        isOf(session, run) && !all.some((other) => other.run.length > run.length && isOf(session, other.run)),
    )
    .map(({ session, folder, bytes }) => ({
      run,
      kind: "spool",
      what: folder,
      bytes,
      keptBecause: keptBecause(session),
    }));
}

/** Removes what may go of one run; answers what became of each. */
export async function removeGarbage(
  ports: GarbagePorts,
  run: string,
  unchangedSince: number,
): Promise<Garbage[]> {
  const taken = await ports.leases.take(run);
  if (taken.kind === "held") return [];
  try {
    // Looked at again under the lease: somebody may have opened it since.
    const listed = (await ports.journal.runs()).find((one) => one.run === run);
    if (listed === undefined || !ENDED_STATUSES.includes(listed.status) || listed.updatedAt > unchangedSince)
      return [];
    const state = await loadKnownRun(ports.journal, run);
    const done: Garbage[] = [];
    const trees = await treeGarbage(ports, state);
    // The branch cannot go while its worktree stands.
    for (const one of trees.filter(({ kind }) => kind === "worktree"))
      done.push(await removeTree(ports, state, one));
    for (const one of trees.filter(({ kind }) => kind === "branch"))
      done.push(await removeBranch(ports, state, one, done));
    const all = await ports.journal.runs({ onDamaged: () => undefined });
    for (const one of spoolGarbage(ports, run, { all, spools: ports.spools() })) {
      ports.world.crashPoint("gc.spool.before");
      if (one.keptBecause === null) ports.removeSpool({ session: "", folder: one.what, bytes: one.bytes });
      done.push(one);
    }
    return done;
  } finally {
    await ports.leases.release(run, taken.epoch);
  }
}

async function removeTree(
  { workspace, world }: GarbagePorts,
  state: RunState,
  one: Garbage,
): Promise<Garbage> {
  const { worktree, trees } = state.workspace;
  const place = [worktree, ...Object.values(trees)].find((other) => other?.tree === one.what);
  if (place === undefined || place === null) return { ...one, keptBecause: "it is the run's no more" };
  const key = `${state.run}/gc/${String(state.seq)}/${place.branch}`;
  const order = { key, project: place.project, tree: place.tree, atMs: world.now() };
  world.crashPoint("gc.tree.before");
  const removal = await workspace.removeWorktree(order);
  if (removal.kind === "removed") return one;
  const [first] = removal.because.first;
  const why = first === undefined ? "unknown" : `${first.path} (${first.reason.replaceAll("_", " ")})`;
  return { ...one, keptBecause: `not all of it could be kept in a snapshot: ${why}` };
}

async function removeBranch(
  { workspace, world }: GarbagePorts,
  state: RunState,
  one: Garbage,
  done: readonly Garbage[],
): Promise<Garbage> {
  if (one.keptBecause !== null) return one;
  const { worktree, trees } = state.workspace;
  const place = [worktree, ...Object.values(trees)].find(
    (other) => other !== null && `${other.branch} in ${other.project}` === one.what,
  );
  if (place === undefined || place === null) return { ...one, keptBecause: "it is the run's no more" };
  if (done.some(({ what, keptBecause }) => what === place.tree && keptBecause !== null))
    return { ...one, keptBecause: "its worktree stays" };
  const commit = await workspace.branchCommit(place.project, place.branch);
  world.crashPoint("gc.branch.before");
  const dropped = commit !== null && (await workspace.dropBranch({ ...place, commit }));
  return dropped ? one : { ...one, keptBecause: "it moved meanwhile" };
}
