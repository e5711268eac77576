import { isOver } from "../../model/state/step-over.ts";
import type { Blocked } from "../../model/requests/blocked.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import type { WorkspacePart } from "../../model/effects/workspace-effects.ts";
import { decideCommit, owesCommit } from "./decide-commit.ts";
import { decideProposals } from "./decide-proposals.ts";
import { reportUnready } from "../dispatch/decide-repository.ts";
import { clearTree, clearTrees, treeFirst } from "./decide-step-trees.ts";
import { hasOwnTree, treeOf, worksApart } from "../../fold/workspace/workspace-place.ts";
import { publishPlace } from "../resources/publish-place.ts";
import { askAboutUncarried } from "../attempt/home-rule.ts";
import { carries, carryInto, environmentOf, intend, isAtWork, isTreeAway } from "./workspace-place.ts";

/** So often something about the place is tried before a person is asked. */
const TRIES_MAX = 3;

/**
 * The place that a run works in (W1): its worktree, the lock on its tree, and the commands that make it ready. Agents
 * begin only when all of that is done; what an ended run leaves behind is given back.
 *
 * On disk at each instant: an intent, then what was done outside, then what is reported of it here. A supervisor killed
 * in between finds the intent open and gives the same order again, which finishes it.
 */
export function decideWorkspace(state: RunState, now: number): RunEvent[] {
  const { settled, failures, hold } = state.workspace;
  if (settled !== null) return publishPlace(state, settled);
  if (isAtWork(state)) return [];
  // What else is wanted of the tree waits until it is put back, for which it has to be there.
  if (isTreeAway(state, state.restoring?.checkpoint ?? "") && !isEnded(state.status))
    return failures >= TRIES_MAX ? askForHelp(state) : createWorktree(state);
  const commit = decideCommit(state, now);
  if (commit !== null) return "events" in commit ? commit.events : intend(state, commit.effect);
  const proposal = decideProposals(state, now);
  if (proposal !== null) return "events" in proposal ? proposal.events : intend(state, proposal.effect);
  if (failures >= TRIES_MAX) return askForHelp(state);
  const cleared = state.blocked === null ? clearTrees(state, now) : null;
  if (cleared !== null) return intend(state, cleared);
  if (isEnded(state.status)) return leave(state, now);
  // The next owner of the run takes its tree again, also while agents are at work there.
  return state.status === "running" && hold !== null && hold.waitsFor === null && !hold.fresh
    ? holdTree(state, "ask")
    : [];
}

/** Null where agents may begin; otherwise what has to be done first. */
export function beforeWork(state: RunState, step: StepState, now: number): RunEvent[] | null {
  const { settings, workspace } = state;
  const { lock, setup, run } = settings.workspace;
  // The next writing step does not start on an uncommitted tree (W5).
  if (isAtWork(state) || owesCommit(state)) return [];
  if (hasOwnTree(settings) && workspace.worktree === null) return createWorktree(state);
  if (lock === "always" && workspace.hold?.fresh !== true)
    return holdTree(state, (workspace.hold?.waitsFor ?? null) === null ? "ask" : "wait");
  if (workspace.worktree !== null && carries(settings) && workspace.ran.carry !== true)
    return intend(state, carryInto(state, workspace.worktree, now));
  if (workspace.uncarried.length > 0) return [askAboutUncarried(state, step)];
  if (setup !== undefined && workspace.ran.setup !== true) return runPart(state, "setup", setup);
  if (worksApart(settings, step)) return treeFirst(state, step, now);
  if (run !== undefined && workspace.ran.run !== true) return runPart(state, "run", run);
  return null;
}

/** Null where what a gate is about is there. The worktree of a run that was open no more is made again, from its branch. */
export function treeForGate(state: RunState): RunEvent[] | null {
  const { worktree, lastTree } = state.workspace;
  const isGoing = Object.values(state.effects).some(({ kind }) => kind === "RemoveWorktree");
  if (!isGoing && (worktree !== null || lastTree === null || !hasOwnTree(state.settings))) return null;
  return isAtWork(state) ? [] : createWorktree(state);
}

function createWorktree(state: RunState): RunEvent[] {
  const { folder, branch, ports } = state.settings.workspace;
  return intend(state, {
    kind: "CreateWorktree",
    project: state.cwd,
    ...(folder === undefined ? {} : { folder }),
    branch: branch.replaceAll("{run}", state.run),
    // A branch of the run's own that is there already is what an earlier try has left.
    ...(state.workspace.lastTree !== null || branch.includes("{run}") ? { goOn: true } : {}),
    ports,
  });
}

const holdTree = (state: RunState, how: "ask" | "wait"): RunEvent[] =>
  intend(state, { kind: "HoldTree", tree: treeOf(state), wait: how === "wait" });

function runPart(state: RunState, part: WorkspacePart, command: string): RunEvent[] {
  return intend(state, {
    kind: "RunInTree",
    part,
    command,
    cwd: state.cwd,
    env: environmentOf(state),
    limitMs: state.settings.workspace.commandMs,
    outputBytesMax: state.settings.checks.outputBytesMax,
  });
}

/** A run that has ended runs its last command, takes its worktree away if it may, and lets go of the tree. */
function leave(state: RunState, now: number): RunEvent[] {
  const { worktree, hold, ran, trees } = state.workspace;
  const { teardown, cleanup } = state.settings.workspace;
  const goes =
    worktree === null ||
    (!isHalfDone(state) && (cleanup === "ended" || (cleanup === "accepted" && isAllTaken(state))));
  const [own] = Object.values(trees);
  if (goes && own !== undefined) return intend(state, clearTree(state, own, now));
  if (goes && teardown !== undefined && ran.setup === true && ran.teardown !== true)
    return runPart(state, "teardown", teardown);
  if (goes && worktree !== null && !state.workspace.stays)
    return intend(state, {
      kind: "RemoveWorktree",
      project: worktree.project,
      tree: worktree.tree,
      at: now,
    });
  if (hold === null || hold.epoch === null) return [];
  return intend(state, { kind: "FreeTree", tree: hold.tree, epoch: hold.epoch });
}

/** What is in a repository of its own is in no commit, so no acceptance has taken it. */
const isAllTaken = ({ workspace: { commit } }: RunState): boolean =>
  commit.accepted && (commit.inner ?? []).length === 0;

/** Work that was begun and is not done is found where it was if the run is reopened. */
const isHalfDone = ({ status: run, steps, workspace }: RunState): boolean =>
  run !== "completed" &&
  (workspace.commit.owed.length > 0 ||
    workspace.commit.due ||
    Object.values(steps).some(({ started, status }) => started > 0 && !isOver({ status })));

/** An ended run that cannot be tidied up stays as it is: nothing of it is lost. */
function askForHelp(state: RunState): RunEvent[] {
  if (state.status !== "running" || state.blocked !== null) return [];
  const reports = reportUnready(state);
  if (reports !== null) return reports;
  const blocked = {
    reason: "dispatch_error",
    detail: state.workspace.failure,
    attemptKept: Object.keys(state.attempts).length > 0,
    guidance: [],
  } satisfies Blocked;
  return [{ type: "RunBlocked", data: { blocked } }];
}

/** A run that stops does not wait for its tree, nor for a command in it; both begin again when it goes on. */
export const dropPreparing = (state: RunState): RunEvent[] =>
  Object.entries(state.effects).flatMap(([key, { kind }]): RunEvent[] =>
    kind === "HoldTree" || kind === "RunInTree"
      ? [
          {
            type: "EffectSettled",
            data: { key, outcome: { kind: "failed", text: "the run is stopping", terminal: false } },
          },
        ]
      : [],
  );
