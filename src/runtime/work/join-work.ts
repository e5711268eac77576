import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { WorkspaceFacts } from "../../model/effects/workspace-effects.ts";
import { commitWork, lockedText } from "./commit-work.ts";
import type { Ports, Trees } from "../ports.ts";

type TakenIn = Awaited<ReturnType<Trees["takeIn"]>>;

type JoinWork = Extract<Effect, { kind: "JoinWork" }>;

const FILES_NAMED_MAX = 100;

const done = (place: WorkspaceFacts): EffectOutcome => ({ kind: "done", place });

/**
 * Brings what a step has made in its own worktree onto the run's branch. On disk, each under its own key: a snapshot of
 * the step's tree, the commit on its branch, the run's tree and branch with it, a snapshot of that. The same order again
 * goes on where the last one died.
 */
export async function joinWork(
  ports: Ports,
  effect: JoinWork,
  { run, key }: { readonly run: string; readonly key: string },
): Promise<EffectOutcome> {
  const { workspace, world } = ports;
  const { project, tree, into, base, message, author, at } = effect;
  const order = { project, atMs: at };
  const kept = await workspace.snapshot({
    ...order,
    key: `${run}/${key}/kept`,
    tree,
    note: "before joining",
  });
  world.crashPoint("join.kept");
  if (kept.head.kind !== "git" || kept.head.branch === null)
    return unjoined("refused", {
      files: [],
      work: null,
      why: `${tree} is on no branch; switch to one there`,
    });
  const { branch, commit: head } = kept.head;
  const work = await commitWork(
    ports,
    {
      kind: "CommitWork",
      ...{ project, tree, base, snapshot: kept.id, message, author, at },
      expected: { commit: head, branch },
      ...{ tag: effect.tag, proved: effect.proved, alone: true },
    },
    { run, key: `${key}/commit` },
  );
  const place = work.kind === "done" ? work.place : undefined;
  if (place?.kind === "uncommitted")
    return unjoined(place.cause, { files: [], work: null, why: `of ${tree}: ${place.why}` });
  if (place?.kind !== "committed") return work;
  world.crashPoint("join.committed");
  const taken = await workspace.takeIn({
    ...order,
    key: `${run}/${key}/join`,
    tree: into,
    commit: place.commit,
    message: effect.merge,
    author,
  });
  world.crashPoint("join.taken");
  if (taken.kind !== "taken") return notTaken(effect, taken, place.commit);
  const after = await workspace.snapshot({ ...order, key: `${run}/${key}/after`, tree: into });
  world.crashPoint("join.after");
  const files = taken.files.slice(0, FILES_NAMED_MAX);
  const data = { how: taken.how, files, count: taken.files.length, snapshot: after.id };
  return done({
    kind: "joined",
    commit: taken.commit,
    work: place.commit,
    branch,
    into: taken.into,
    ...data,
  });
}

interface Why {
  readonly files: readonly string[];
  readonly work: string | null;
  readonly why: string;
}

const unjoined = (
  cause: Extract<WorkspaceFacts, { kind: "unjoined" }>["cause"],
  { files, work, why }: Why,
): EffectOutcome => done({ kind: "unjoined", cause, files: files.slice(0, FILES_NAMED_MAX), work, why });

function notTaken(
  { into }: JoinWork,
  taken: Exclude<TakenIn, { kind: "taken" }>,
  work: string,
): EffectOutcome {
  switch (taken.kind) {
    case "conflict":
      return unjoined("conflict", { files: taken.files, work, why: "other steps have changed the same" });
    case "dirty":
      return unjoined("dirty", {
        files: taken.files,
        work,
        why: `files in ${into} differ from its branch (${taken.files.slice(0, 3).join(", ")}); commit them there or put them back`,
      });
    case "filtered":
      return unjoined("refused", {
        files: taken.files,
        work,
        why: `a filter of yours decides how files are checked out, and none is run here; merge ${work} in ${into} yourself`,
      });
    case "locked":
      return unjoined("refused", { files: [], work, why: lockedText(taken.file) });
    // Nobody asks about dropped commits where a step's work meets the run's own branch.
    case "dropped":
    case "moved":
    case "unknown":
      return unjoined("moved", { files: [], work, why: `${into} is on no branch, or it has just moved` });
  }
}
