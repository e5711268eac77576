import { shellWord } from "../../model/text/command-text.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { WorkspaceFacts } from "../../model/effects/workspace-effects.ts";
import { lockedText } from "./commit-work.ts";
import { freeTree, holdTree } from "./hold-tree.ts";
import type { Ports } from "../ports.ts";

const FILES_NAMED_MAX = 100;

const done = (place: WorkspaceFacts): EffectOutcome => ({ kind: "done", place });

type AcceptWork = Extract<Effect, { kind: "AcceptWork" }>;
type NotTaken = Exclude<Awaited<ReturnType<Ports["workspace"]["takeIn"]>>, { kind: "taken" }>;

/** Takes the run's branch into the user's, while no other run works in the user's tree. */
export async function acceptWork(
  ports: Ports,
  effect: AcceptWork,
  { run, key, signal }: { readonly run: string; readonly key: string; readonly signal: AbortSignal },
): Promise<EffectOutcome> {
  const { project, commit, branch, base, dropped, message, author, at } = effect;
  const held = await holdTree(ports, { run, tree: project, wait: false }, signal);
  const place = held.kind === "done" ? held.place : undefined;
  const epoch = place?.kind === "held" ? place.epoch : null;
  const order = {
    ...{ key: `${run}/${key}`, project, commit, work: branch, message, author, atMs: at },
    ...(base === undefined ? {} : { base }),
    ...(dropped === undefined ? {} : { dropped }),
  };
  // Another run may have the tree since this one has finished there and died.
  const taken = await ports.workspace.takeIn(epoch === null ? { ...order, answerOnly: true } : order);
  if (epoch !== null) await freeTree(ports, { tree: project, epoch });
  if (taken.kind === "taken") {
    const { into, how, files, replaced } = taken;
    const own = replaced === undefined ? {} : { replaced: { ref: replaced.ref, ...first(replaced.files) } };
    return done({ kind: "accepted", commit: taken.commit, into, how, ...first(files), ...own });
  }
  if (taken.kind === "conflict" && effect.mergeIn !== undefined)
    return mergeFirst(ports, { effect, tree: effect.mergeIn, run });
  const busy = place?.kind === "busy" ? place.by : "another run";
  return notTaken(taken, effect, { run, busy });
}

const first = (files: readonly string[]): { readonly files: string[]; readonly count: number } => ({
  files: files.slice(0, FILES_NAMED_MAX),
  count: files.length,
});

/** Both sides are put into the run's tree, as `git merge` does it: a person finishes that. */
async function mergeFirst(
  { workspace }: Ports,
  { effect, tree, run }: { readonly effect: AcceptWork; readonly tree: string; readonly run: string },
): Promise<EffectOutcome> {
  const { project, message } = effect;
  const head = await workspace.head(project);
  const theirs = head.kind === "git" ? head.commit : null;
  if (theirs === null) return unaccepted("moved", [], `${project} is on no branch; accept again`);
  const begun = await workspace.beginMerge({ project, tree, theirs, message });
  switch (begun.kind) {
    case "begun":
      return unaccepted(
        "merging",
        begun.files,
        `both sides are in ${tree} now, with conflict markers${named(begun.files)}; edit the files there, or use your merge tool (git -C ${shellWord(tree)} mergetool), then again: holdfast accept ${run} --resolution merge`,
      );
    case "dirty":
      return unaccepted(
        "dirty",
        begun.files,
        `files in ${tree} differ from its branch${named(begun.files)}; commit them there or put them back`,
      );
    case "locked":
      return unaccepted("refused", [], lockedText(begun.file));
    case "clean":
      return unaccepted("moved", [], `your branch has just moved; accept again`);
  }
}

function notTaken(
  taken: NotTaken,
  { project, branch }: AcceptWork,
  { run, busy }: { readonly run: string; readonly busy: string },
): EffectOutcome {
  switch (taken.kind) {
    case "unknown":
      return unaccepted("refused", [], `${busy} works in ${project}; accept again when it has ended`);
    case "conflict":
      return unaccepted(
        "conflict",
        taken.files,
        `${branch} and your branch changed the same${named(taken.files)}; to merge both sides in the run's worktree: holdfast accept ${run} --resolution merge`,
      );
    case "dirty":
      return unaccepted(
        "dirty",
        taken.files,
        `your own changes in ${project} are in the way${named(taken.files)}; commit them, or set them aside (git -C ${shellWord(project)} stash push --include-untracked -- ${taken.files.slice(0, FILES_SHOWN_MAX).map(shellWord).join(" ")}${taken.files.length > FILES_SHOWN_MAX ? " …" : ""}), then again: holdfast accept ${run}`,
      );
    case "filtered":
      return unaccepted(
        "refused",
        taken.files,
        `a filter of yours decides how files are checked out, and none is run here${named(taken.files)}; merge ${branch} yourself`,
      );
    case "dropped":
      return unaccepted(
        "dropped",
        [],
        `the run was begun on ${String(taken.count)} commit${taken.count === 1 ? "" : "s"} that you have dropped from ${taken.into} since (${taken.commits.join("; ")}); to take in the run's own changes alone: holdfast accept ${run} --dropped leave; to bring the commits back with them: holdfast accept ${run} --dropped bring`,
      );
    case "locked":
      return unaccepted("refused", [], lockedText(taken.file));
    case "moved":
      return unaccepted(
        "moved",
        [],
        `${project} is on no branch, or its branch has just moved; accept again`,
      );
  }
}

const FILES_SHOWN_MAX = 5;

const named = (files: readonly string[]): string => {
  const more = files.length - FILES_SHOWN_MAX;
  const first = files.slice(0, FILES_SHOWN_MAX).join(", ");
  return files.length === 0 ? "" : ` (${first}${more > 0 ? ` and ${String(more)} more` : ""})`;
};

const unaccepted = (
  cause: Extract<WorkspaceFacts, { kind: "unaccepted" }>["cause"],
  files: readonly string[],
  why: string,
): EffectOutcome => done({ kind: "unaccepted", cause, files: files.slice(0, FILES_NAMED_MAX), why });
