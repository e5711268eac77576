import { PLACE } from "../../fold/resource/repository.ts";
import { hasOwnTree, worksApart } from "../../fold/workspace/workspace-place.ts";
import type { Pause } from "../../model/host/shared-resource.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { alikeKey, exactKey } from "../../model/text/text-key.ts";

export const checkPart = (command: string): string => `check:${exactKey(command)}`;

/** Whether a step needs what is paused: a place that is ready stays so, and a step without that check fails no such one. */
export function concerns({ about }: Pause, state: RunState, step: StepState): boolean {
  if (about === undefined) return true;
  return about === PLACE
    ? needsPlace(state, step)
    : step.spec.checks.some(({ run }) => checkPart(run) === about);
}

function needsPlace({ settings, workspace }: RunState, step: StepState): boolean {
  const { setup, run } = settings.workspace;
  const isApart = worksApart(settings, step);
  const own = isApart ? workspace.trees[step.spec.name] : undefined;
  const lacks = (ran: RunState["workspace"]["ran"], part: "setup" | "run", command?: string): boolean =>
    command !== undefined && ran[part] !== true;
  if (hasOwnTree(settings) && workspace.worktree === null) return true;
  if (lacks(workspace.ran, "setup", setup)) return true;
  if (!isApart) return lacks(workspace.ran, "run", run);
  return own === undefined || lacks(own.ran, "setup", setup) || lacks(own.ran, "run", run);
}

/** Failures of several runs are the same where they differ only in numbers, ids, and the names of the runs' own trees. */
export function likeness({ run, workspace }: RunState, text: string): string {
  const trees = [workspace.lastTree, ...Object.values(workspace.trees).map(({ tree }) => tree)];
  const placeless = trees.reduce<string>(
    (rest, tree) => (tree === null ? rest : rest.replaceAll(tree, "#")),
    text,
  );
  const word = `(?<![\\w-])${run.replaceAll(".", "\\.")}(?![\\w-])`;
  return alikeKey(placeless.replaceAll(new RegExp(word, "g"), "#"));
}
