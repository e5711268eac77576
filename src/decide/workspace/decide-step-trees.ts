import type { Blocked } from "../../model/requests/blocked.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { isOver } from "../../model/state/step-over.ts";
import type { StepTree, WorkspaceEffect } from "../../model/state/workspace-state.ts";
import type { WorkspacePart } from "../../model/effects/workspace-effects.ts";
import { authorOf, commitMessage, goodTag } from "./commit-message.ts";
import { carries, carryInto, environmentOfTree, intend, isAtWork } from "./workspace-place.ts";
import { treeOf } from "../../fold/workspace/workspace-place.ts";
import { provedTree } from "../gate/bound-evidence.ts";

/**
 * With a worktree per attempt (W1) the run's own tree holds its accepted line, and nobody writes there. A step that
 * writes gets a worktree beside it, on a branch of its own from where the run's branch stands; attempts that follow a
 * failed one go on in it. Once the work has passed, it is committed there and taken into the run's branch.
 *
 * On disk at each instant: an intent, then what was done outside under its key, then what is reported of it here. The
 * one that comes after a kill finds the intent open and gives the same order again, which finishes it.
 */

/** Null where the agent of a step may begin in its own tree. */
export function treeFirst(state: RunState, { spec }: StepState, now: number): RunEvent[] | null {
  const own = state.workspace.trees[spec.name];
  const { setup, run } = state.settings.workspace;
  if (own === undefined) return intend(state, createTree(state, spec.name));
  // It is removed first: the next one stands in its place, where the agent's conversation was had.
  if (own.left) return [];
  if (carries(state.settings) && own.ran.carry !== true) return intend(state, carryInto(state, own, now));
  if (setup !== undefined && own.ran.setup !== true)
    return intend(state, runIn(state, own, { part: "setup", command: setup }));
  if (run !== undefined && own.ran.run !== true)
    return intend(state, runIn(state, own, { part: "run", command: run }));
  return null;
}

function createTree(state: RunState, step: string): WorkspaceEffect {
  const { folder, ports, branch: named } = state.settings.workspace;
  const { worktree, treesMade, treesKept, asked } = state.workspace;
  const branch = worktree?.branch ?? "";
  // A name of a step may hold what names of folders and branches may not; of a run neither holds these signs.
  const word = step.replaceAll("/", "+").replaceAll(".", "=");
  const own = named.includes("{run}") ? "" : `+${state.run}`;
  return {
    kind: "CreateWorktree",
    step,
    project: asked,
    ...(folder === undefined ? {} : { folder }),
    name: `${state.run}+${word}${treesKept === 0 ? "" : `+${String(treesKept)}`}`,
    branch: `${branch}${own}+${word}.${String(treesMade + 1)}`,
    from: `refs/heads/${branch}`,
    ports,
  };
}

function runIn(
  { settings }: RunState,
  own: StepTree,
  { part, command }: { readonly part: WorkspacePart; readonly command: string },
): WorkspaceEffect {
  return {
    kind: "RunInTree",
    part,
    tree: own.tree,
    command,
    cwd: own.cwd,
    env: environmentOfTree(own),
    limitMs: settings.workspace.commandMs,
    outputBytesMax: settings.checks.outputBytesMax,
  };
}

/** A tree whose work is on the run's branch, or is to be done again, is removed once all of it is in a snapshot. */
export function clearTrees(state: RunState, now: number): WorkspaceEffect | null {
  if (state.settings.workspace.cleanup === "never") return null;
  const goes = Object.entries(state.workspace.trees).find(
    ([name, own]) => isDoneWith(state, name, own) && !isInHand(state, own),
  );
  return goes === undefined ? null : clearTree(state, goes[1], now);
}

const isDoneWith = ({ steps }: RunState, name: string, { left }: StepTree): boolean =>
  left || isOver(steps[name] ?? { status: "dropped" });

/** Somebody looks at it just now, or what was seen is not reported yet. */
const isInHand = ({ effects, taken, guards, restoring }: RunState, { tree }: StepTree): boolean =>
  restoring !== null ||
  taken?.effect.tree === tree ||
  (guards[tree]?.report ?? null) !== null ||
  Object.values(effects).some((effect) => "tree" in effect && effect.tree === tree);

/** What is run after the work comes first. */
export function clearTree(state: RunState, own: StepTree, now: number): WorkspaceEffect {
  const { teardown } = state.settings.workspace;
  if (teardown !== undefined && own.ran.setup === true && own.ran.teardown !== true)
    return runIn(state, own, { part: "teardown", command: teardown });
  return { kind: "RemoveWorktree", project: own.project, tree: own.tree, at: now };
}

/** The work of a step in a tree of its own has passed: it is brought onto the run's branch before it counts as done. */
export function joinWork(state: RunState, of: StepState, now: number): RunEvent[] {
  const { spec, checking } = of;
  const own = state.workspace.trees[spec.name];
  if (checking === null || own === undefined || !isRunTreeFree(state)) return [];
  const { name: step } = spec;
  const tag = goodTag(state, step);
  return intend(state, {
    kind: "JoinWork",
    step,
    attempt: checking.attempt,
    project: own.project,
    tree: own.tree,
    into: treeOf(state),
    base: own.base,
    message: commitMessage(state, { step, message: null }),
    merge: commitMessage(state, { step, message: `Merge branch '${own.branch}'` }),
    author: authorOf(state.settings.commit),
    ...(tag === null ? {} : { tag }),
    ...provedTree(of),
    at: now,
  });
}

/** What those that may not write have changed in the run's tree is put back first: it would take the work with it. */
const isRunTreeFree = (state: RunState): boolean =>
  state.readSince === null &&
  state.restoring === null &&
  state.taken === null &&
  state.workspace.settled === null &&
  state.workspace.commit.wanted === null &&
  !isAtWork(state) &&
  !Object.values(state.effects).some(({ kind }) => KEEPING.includes(kind));

const KEEPING: readonly string[] = ["TakeCheckpoint", "RestoreCheckpoint"];

export const joinRefused = (
  { spec, checking }: StepState,
  { cause, files, why, work }: Extract<NonNullable<StepState["checking"]>["joined"], { kind: "unjoined" }>,
): RunEvent => ({
  type: "JoinRefused",
  data: { step: spec.name, attempt: checking?.attempt ?? "", cause, files, why, work },
});

/** What is in the way is not the agent's: a person sees to it, and it is tried again. */
export const askAboutJoin = (state: RunState, { spec }: StepState, why: string): RunEvent => ({
  type: "RunBlocked",
  data: {
    blocked: {
      reason: "workspace_dirty",
      detail: `the work of ${spec.name} could not be brought onto the run's branch: ${why}`,
      step: spec.name,
      attemptKept: Object.keys(state.attempts).length > 0,
      guidance: [],
    } satisfies Blocked,
  },
});

/** What the agent receives that works on the newer line. */
export const conflictWords = (own: string, files: readonly string[], work: string | null): string =>
  [
    "others have changed the same meanwhile, and your changes could not be merged with theirs:",
    ...files.slice(0, 20).map((file) => `- ${file}`),
    "your folder holds their changes now, and not yours; do your task again on top of them",
    ...(work === null ? [] : [`what you had made is in the commit ${work}, on the branch ${own}`]),
  ].join("\n");
