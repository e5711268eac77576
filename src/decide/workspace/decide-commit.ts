import type { Blocked } from "../../model/requests/blocked.ts";
import type { MovedFiles, ProvedTree } from "../../model/state/bound-tree.ts";
import type { EventData, RunEvent } from "../../model/events/events.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import type { WorkspaceEffect } from "../../model/state/workspace-state.ts";
import { authorOf, commitMessage, goodTag, messageProblem } from "./commit-message.ts";
import { MOVES_MAX } from "../../fold/step/bound-evidence.ts";
import { movedWords } from "../gate/bound-evidence.ts";
import { areFilesInHand, takeCheckpoint } from "./decide-checkpoints.ts";
import { askDoneByHand } from "../requests/done-by-hand.ts";
import { commitsSteps, proposes, treeOf } from "../../fold/workspace/workspace-place.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";

type Wanted = NonNullable<RunState["workspace"]["commit"]["wanted"]>;

/** So often a commit or an acceptance is tried before it is refused. */
const TRIES_MAX = 3;

/** Whether work that is done waits to be committed: nothing new begins on top of it (W5). */
export const owesCommit = (state: RunState): boolean =>
  state.workspace.commit.wanted !== null || owesSteps(state) || state.workspace.commit.due;

const owesSteps = (state: RunState): boolean => commitsSteps(state) && state.workspace.commit.owed.length > 0;

/** When the work of agents is committed next although no step is done (W12). */
export function nextCommit(state: RunState): number {
  const { commit, worktree } = state.workspace;
  if (!commitsSteps(state) || worktree === null || commit.wanted !== null) return Infinity;
  // Those at work have trees of their own, whose work is committed when it has passed.
  if (state.settings.workspace.isolation === "attempt") return Infinity;
  // Those at work may not write.
  if (state.readSince !== null) return Infinity;
  if (state.status !== "running" || Object.keys(state.attempts).length === 0) return Infinity;
  return commit.committedAt + state.settings.commit.everyMs;
}

/**
 * Commits what was done: what is committed is in a checkpoint first, and exactly what changed since the last commit,
 * or what was named, goes onto the branch that the checkpoint has seen. Then, where it is wished, into the user's.
 */
export function decideCommit(
  state: RunState,
  now: number,
): { readonly events: RunEvent[] } | { readonly effect: WorkspaceEffect } | null {
  const { wanted, owed } = state.workspace.commit;
  if (wanted === null) {
    const [step] = owed;
    if (state.status !== "running") return null;
    if (commitsSteps(state) && step !== undefined) return want({ by: "holdfast", step });
    return state.workspace.commit.due || now >= nextCommit(state) ? want({ by: "holdfast" }) : null;
  }
  if (state.workspace.failures >= TRIES_MAX) return refuse(state, wanted, state.workspace.failure);
  if (areFilesInHand(state) || state.taken !== null || state.restoring !== null) return { events: [] };
  if (wanted.committed) return acceptWork(state, wanted, now);
  return wanted.checkpoint === null ? keepFirst(state, wanted, now) : commitWork(state, wanted, now);
}

const want = (data: Extract<RunEvent, { type: "CommitWanted" }>["data"]): { events: RunEvent[] } => ({
  events: [{ type: "CommitWanted", data }],
});

function keepFirst(state: RunState, wanted: Wanted, now: number): { events: RunEvent[] } {
  return state.keepFailures >= TRIES_MAX
    ? refuse(state, wanted, `what is to be committed could not be kept: ${state.keepFailure}`)
    : { events: takeCheckpoint(state, state.unsavedStep ? "after_step" : "before_commit", now) };
}

function commitWork(
  state: RunState,
  wanted: Wanted,
  now: number,
): { events: RunEvent[] } | { effect: WorkspaceEffect } {
  const { worktree, commit } = state.workspace;
  const kept = state.checkpoints[wanted.checkpoint ?? ""];
  if (kept === undefined) return refuse(state, wanted, "the checkpoint of what is to be committed is gone");
  const { branch, commit: head, id } = kept.snapshot;
  if (branch === null)
    return refuse(state, wanted, `${treeOf(state)} is on no branch of a repository; switch to one`);
  const { featureBranch, mainBranches } = state.settings.commit;
  if (worktree === null && featureBranch && mainBranches.includes(branch))
    return refuse(
      state,
      wanted,
      `${branch} is not for features (commit.featureBranch); switch to another, such as with: git switch -c holdfast/${state.run}`,
    );
  const tag = wanted.by === "holdfast" ? goodTag(state, wanted.step) : null;
  const effect = {
    kind: "CommitWork",
    project: worktree?.project ?? treeOf(state),
    tree: treeOf(state),
    base: commit.base?.tree === treeOf(state) ? commit.base.snapshot : null,
    snapshot: id,
    ...(wanted.files === null ? {} : { files: [...wanted.files] }),
    message: commitMessage(state, wanted),
    author: authorOf(state.settings.commit),
    expected: { commit: head, branch },
    ...(tag === null ? {} : { tag }),
    ...provedBy(state, wanted),
    ...(worktree !== null && liveIn(state).length === 0 ? { alone: true as const } : {}),
    at: now,
  } as const;
  return { effect };
}

function acceptWork(
  state: RunState,
  wanted: Wanted,
  now: number,
): { events: RunEvent[] } | { effect: WorkspaceEffect } {
  const { worktree, commit } = state.workspace;
  const taken = wanted.upTo === null ? commit.last?.commit : commit.steps[wanted.upTo];
  if (worktree === null || taken === undefined)
    return refuse(state, wanted, "the run has no branch of its own that could be taken in");
  const words = wanted.upTo === null ? null : wanted.message;
  const about = { step: wanted.upTo, message: words ?? `Merge branch '${worktree.branch}'` };
  const effect = {
    kind: "AcceptWork",
    project: worktree.project,
    commit: taken,
    branch: worktree.branch,
    base: worktree.from,
    ...(wanted.dropped === undefined ? {} : { dropped: wanted.dropped }),
    ...(wanted.resolution === undefined || wanted.upTo !== null ? {} : { mergeIn: worktree.tree }),
    message: commitMessage(state, about),
    author: authorOf(state.settings.commit),
    at: now,
  } as const;
  return { effect };
}

/** What is committed of a step is exactly what its evidence speaks of; a person commits what is there. */
function provedBy(state: RunState, { by, step }: Wanted): { readonly proved?: ProvedTree } {
  const last = state.workspace.commit.owed.at(-1);
  const of = by === "holdfast" && step !== null && last !== undefined ? state.steps[last] : undefined;
  if (of === undefined || of.proof === null || proposes(of)) return {};
  const { digest, snapshot, writes } = of.proof;
  return { proved: { digest, snapshot, writes: [...writes] } };
}

/** Evidence is taken again over the files as they are now; after so many times a person is asked. */
export function reproveWork(state: RunState, moved: MovedFiles): RunEvent[] {
  const name = state.workspace.commit.owed.at(-1) ?? "";
  const step = state.steps[name];
  const why = `files changed after the checks of ${name} had passed: ${movedWords(moved)}`;
  const mayAgain = step?.status === "succeeded" && step.spec.plans === undefined && step.outdated < MOVES_MAX;
  if (!mayAgain || step.proof === null) return refuseWanted(state, why);
  return [{ type: "EvidenceOutdated", data: { step: name, attempt: step.proof.attempt, ...moved } }];
}

/** What was asked for and cannot be done. */
export function refuseWanted(state: RunState, why: string): RunEvent[] {
  const { wanted } = state.workspace.commit;
  return wanted === null ? [] : refuse(state, wanted, why).events;
}

/** Work that a step has left uncommitted stops the run (W5); what somebody asked for is only reported. */
function refuse(state: RunState, { step, committed }: Wanted, why: string): { events: RunEvent[] } {
  if (committed) return { events: [{ type: "AcceptRefused", data: { cause: "refused", files: [], why } }] };
  const refused: RunEvent = { type: "CommitRefused", data: { why, ...(step === null ? {} : { step }) } };
  if (state.status !== "running" || !(owesSteps(state) || state.workspace.commit.due))
    return { events: [refused] };
  const blocked = {
    reason: "workspace_dirty",
    detail: owesSteps(state)
      ? `the work of ${state.workspace.commit.owed.join(", ")} is not committed: ${why}`
      : `the files that were put back are not committed: ${why}`,
    attemptKept: Object.keys(state.attempts).length > 0,
    guidance: [],
  } satisfies Blocked;
  return { events: [refused, { type: "RunBlocked", data: { blocked } }] };
}

/** Attempts at work, and those that are checked. */
const liveIn = ({ attempts, checking, status }: RunState): string[] => [
  ...Object.keys(attempts),
  ...(status === "running" ? Object.keys(checking) : []),
];

/** A person wants the work committed, and perhaps taken into their own branch. */
export function askCommit(
  state: RunState,
  request: Extract<RunRequest, { kind: "commit" | "accept" }>,
  by: string,
): Verdict {
  const { kind, message } = request;
  const { worktree, commit } = state.workspace;
  // The asker before may have gone, and the supervisor with it: who asks again waits for the same.
  if (kind === "accept" && commit.wanted?.accept === true && (request.step ?? null) === commit.wanted.upTo)
    return answered("the work is being accepted already", []);
  if (commit.wanted !== null) return refusedFor(`${kind} is refused: the work is being committed just now`);
  if (state.readSince !== null && Object.keys(state.attempts).length > 0)
    return refusedFor(
      `${kind} is refused: a step that may not write is at work in the tree; ask again when it is done`,
      ["completed"],
    );
  const problem = message === undefined ? null : messageProblem(message, state.settings.commit);
  if (problem !== null) return refusedFor(`${kind} is refused: of its message ${problem}`);
  if (kind === "accept" && request.asDone === true) return askDoneByHand(state, request, by);
  if (kind === "accept" && request.step !== undefined) return askPart(state, request, by);
  const live = liveIn(state);
  if (kind === "accept" && live.length > 0)
    return refusedFor(`accept is refused: ${live.join(", ")} is at work; pause the run or let it end first`, [
      "completed",
      "paused",
      "blocked",
    ]);
  const accept = kind === "accept" && worktree !== null;
  const files = kind === "commit" ? request.files : undefined;
  const wanted: RunEvent = {
    type: "CommitWanted",
    data: {
      by,
      ...(message === undefined ? {} : { message }),
      ...(files === undefined ? {} : { files }),
      ...(accept ? { accept, ...waysOf(request) } : {}),
      ...endOf(state),
    },
  };
  const open = isEnded(state.status) && state.status !== "completed";
  const isMerged = kind === "accept" && request.resolution === "merge";
  if (kind === "accept" && state.blocked?.reason === "conflict_loop" && !isMerged)
    return refusedFor(
      `accept is refused: others have changed the same; with --resolution merge both sides are put into ${worktree?.tree ?? "the run's tree"} for you to merge`,
    );
  const goOn =
    state.blocked?.reason === "workspace_dirty" || (isMerged && state.blocked?.reason === "conflict_loop");
  return answered(accept ? "the work is being accepted" : "the work is being committed", [
    ...(open ? [{ type: "RunReopened", data: {} } as const] : []),
    wanted,
    ...(goOn ? [{ type: "RunUnblocked", data: {} } as const] : []),
  ]);
}

/** Taking in what was done is no wish that the run go on. */
const endOf = ({ status }: RunState): Pick<EventData<"CommitWanted">, "endsAs"> =>
  status === "cancelled" ? { endsAs: "cancelled" } : {};

const waysOf = (
  request: Extract<RunRequest, { kind: "commit" | "accept" }>,
): Pick<EventData<"CommitWanted">, "dropped" | "resolution"> => {
  const { dropped, resolution } = request.kind === "accept" ? request : {};
  return {
    ...(dropped === undefined ? {} : { dropped }),
    ...(resolution === undefined ? {} : { resolution }),
  };
};

/** A person wants what was done up to a step, no matter what is at work after it. */
function askPart(state: RunState, request: Extract<RunRequest, { kind: "accept" }>, by: string): Verdict {
  const { step = "", message, resolution } = request;
  const { worktree, commit } = state.workspace;
  if (!Object.hasOwn(state.steps, step))
    return refusedFor(
      `accept is refused: the run has no step "${step}"; its steps are ${Object.keys(state.steps).join(", ")}`,
    );
  if (worktree === null)
    return refusedFor(
      "accept is refused: the run has no branch of its own; its work is in your tree already",
    );
  if (!Object.hasOwn(commit.steps, step))
    return refusedFor(
      `accept is refused: nothing of "${step}" is committed; there are commits of ${Object.keys(commit.steps).join(", ") || "no step yet"}`,
    );
  if (state.blocked?.reason === "conflict_loop" && resolution !== "merge")
    return refusedFor(
      `accept is refused: others have changed the same; with --resolution merge both sides are put into ${worktree.tree} for you to merge`,
    );
  const open = isEnded(state.status) && state.status !== "completed";
  const words = message === undefined ? {} : { message };
  return answered(`the work up to ${step} is being accepted`, [
    ...(open ? [{ type: "RunReopened", data: {} } as const] : []),
    {
      type: "CommitWanted",
      data: { by, ...words, ...waysOf(request), ...endOf(state), accept: true, upTo: step },
    },
  ]);
}
