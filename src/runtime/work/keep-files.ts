import type { Weighed } from "../../model/auto-approval.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Trees } from "../ports.ts";

type EffectOf<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

/** The same key for the same effect of the same run, no matter who performs it: it is done once. */
interface Under {
  readonly run: string;
  readonly key: string;
}

/** Keeps a tree as it is. What is answered is verified. */
export async function takeSnapshot(
  workspace: Trees,
  { tree, project = tree, at, note, since, weigh, cause }: EffectOf<"TakeCheckpoint">,
  { run, key }: Under,
): Promise<EffectOutcome> {
  const words = note === undefined ? {} : { note };
  // Somebody wants the files back: where the folder is gone it is made, and the restore fills it.
  const make = cause === "before_restore";
  const stashApart = tree !== project && cause !== "periodic" && cause !== "asked";
  const order = { key: `${run}/${key}`, project, tree, atMs: at, make, stashApart, ...words };
  const taken = await workspace.snapshot(order);
  const { skipped, stashed } = taken;
  const head = taken.head.kind === "git" ? taken.head : await headAbove(workspace, tree);
  const first = skipped.first[0];
  const snapshot = {
    id: taken.id,
    digest: taken.digest,
    files: taken.fileCount,
    branch: head.kind === "git" ? head.branch : null,
    commit: head.kind === "git" ? head.commit : null,
    skipped: skipped.count,
    ...(first === undefined
      ? {}
      : { firstSkipped: `${first.path} (${first.reason})`, skippedPaths: named(skipped.first) }),
    ...(since === undefined
      ? {}
      : { changed: (await workspace.compare({ project, tree }, since, taken.id)).count }),
    ...(weigh === undefined
      ? {}
      : { work: await weighed(workspace, { project, tree, weigh, taken: taken.id }) }),
  };
  return { kind: "done", snapshot, ...(stashed === undefined ? {} : { stashed: [...stashed] }) };
}

const WEIGHED_MAX = 1_000;

interface Weighing {
  readonly project: string;
  readonly tree: string;
  readonly weigh: string;
  readonly taken: string;
}

async function weighed(workspace: Trees, { project, tree, weigh, taken }: Weighing): Promise<Weighed> {
  const { changes, count } = await workspace.compare({ project, tree }, weigh, taken);
  const files = changes.slice(0, WEIGHED_MAX).map(({ path }) => path);
  return { files, count, ...(await workspace.countLines({ project, tree }, weigh, taken)) };
}

/** Makes a tree what it was; what is there now is kept first (I10). */
export async function restoreSnapshot(
  workspace: Trees,
  { tree, project = tree, at, snapshot }: EffectOf<"RestoreCheckpoint">,
  { run, key }: Under,
): Promise<EffectOutcome> {
  const order = { key: `${run}/${key}`, project, tree, atMs: at, snapshot };
  const { before, written, removed, left } = await workspace.restore(order);
  const paths = left.count === 0 ? {} : { leftPaths: named(left.first) };
  return { kind: "done", restored: { before, written, removed, left: left.count, ...paths } };
}

const NAMED_MAX = 10;

const named = (paths: readonly { readonly path: string; readonly reason: string }[]): string[] =>
  paths.slice(0, NAMED_MAX).map(({ path, reason }) => `${path} (${reason.replaceAll("_", " ")})`);

/** Forgets snapshots, each in the store that keeps it. Those that are gone already are no trouble. */
export async function releaseSnapshots(
  workspace: Trees,
  { snapshots }: EffectOf<"ReleaseCheckpoints">,
  { run }: Under,
): Promise<EffectOutcome> {
  const byProject = Map.groupBy(snapshots, ({ project }) => project);
  for (const [project, ones] of byProject)
    await workspace.release({ project, keys: ones.map(({ key }) => `${run}/${key}`) });
  return { kind: "done" };
}

/** A folder inside of a repository stands where the repository does. */
async function headAbove(workspace: Trees, tree: string): ReturnType<Trees["head"]> {
  return workspace.head((await workspace.placeFor({ project: tree, name: "head" })).project);
}
