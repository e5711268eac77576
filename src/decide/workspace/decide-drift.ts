import { isOver } from "../../model/state/step-over.ts";
import type { Blocked } from "../../model/requests/blocked.ts";
import type { Base, HeadFacts } from "../../model/state/drift.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { decideConflict } from "./decide-conflict.ts";
import { treeOf } from "../../fold/workspace/workspace-place.ts";

/** Paths from which Holdfast itself learns what to do, and what it writes for people. */
const OWN = /^(\.holdfast\/|holdfast\.(ya?ml|json|ts)$)/;

export const isWatched = ({ settings }: RunState): boolean => settings.drift.when === "always";

/**
 * Work is given out on a base: the commit that a branch stands at. If that moves meanwhile it is reported (W6). What
 * agents move while they work is theirs. What moves while none is at work is a person's: commits on top are taken as
 * the new base, and anything else stops the run (W7). A run in a worktree has its own branch; there the base is the
 * user's, and moving it stops nothing.
 */
export function decideDrift(state: RunState, now: number): RunEvent[] {
  const conflict = decideConflict(state);
  if (conflict.length > 0 || !isWatched(state) || isMovedByUs(state)) return conflict;
  const { report, movers } = state.drift;
  if (report !== null) return decideReport(state, report);
  const isLeftBehind = movers.length > 0 && Object.keys(state.attempts).length === 0 && !state.drift.fresh;
  return now >= nextLook(state) || isLeftBehind ? lookAtBase(state) : [];
}

/** When the base of agents at work is looked at next. */
export function nextLook(state: RunState): number {
  if (!isWatched(state) || isUnderWay(state) || Object.keys(state.attempts).length === 0) return Infinity;
  return state.drift.lookedAt + state.settings.drift.everyMs;
}

/** Null where an agent may begin; otherwise what has to be done first. */
export const baseFirst = (state: RunState): RunEvent[] | null =>
  !isWatched(state) || state.drift.fresh ? null : lookAtBase(state);

const isUnderWay = (state: RunState): boolean =>
  Object.values(state.effects).some(({ kind }) => kind === "LookAtHead");

/** What Holdfast itself commits or takes in just now is assessed once it is known. */
const isMovedByUs = (state: RunState): boolean =>
  state.workspace.settled !== null ||
  Object.values(state.effects).some(({ kind }) => kind === "CommitWork" || kind === "AcceptWork");

/** In a worktree the base is the commit that it was made from, on the user's own branch. */
const baseOf = ({ drift, workspace }: RunState): Base | null =>
  drift.base ?? (workspace.worktree === null ? null : { branch: null, commit: workspace.worktree.from });

function lookAtBase(state: RunState): RunEvent[] {
  if (isUnderWay(state) || state.drift.report !== null) return [];
  const tree = state.workspace.worktree?.project ?? treeOf(state);
  const effect = { kind: "LookAtHead", tree, since: baseOf(state)?.commit ?? null } as const;
  const key = effectKey("base", "LookAtHead", state.drift.looks + 1);
  return [{ type: "EffectIntended", data: { key, effect } }];
}

function decideReport(state: RunState, head: HeadFacts): RunEvent[] {
  const { drift, workspace } = state;
  const noted: RunEvent = { type: "BaseNoted", data: { branch: head.branch, commit: head.commit } };
  const base = baseOf(state);
  if (base === null || (base.commit === head.commit && !isSwitched(state, base, head))) return [noted];
  const isTheirs = workspace.worktree === null && drift.movers.length > 0;
  const found: RunEvent = { type: "DriftFound", data: { from: base.commit, head, attempts: drift.movers } };
  if (workspace.worktree !== null) return [{ ...found, data: { ...found.data, attempts: [] } }];
  if (isTheirs && Object.keys(state.attempts).length > 0) return [found];
  if (isTheirs) return [noted];
  if (state.status !== "running") return [];
  const refusal = unsafeBecause(drift.base, head);
  if (refusal !== null) return [found, blocked(state, "operator_commit_refused", refusal)];
  const what = `${movedText(base.commit, head)}: ${filesText(head)}`;
  if (state.settings.drift.forward === "ask") return [found, blocked(state, "drift", what)];
  return [found, noted, ...openSteps(state).map((step) => advised(step, what))];
}

/** A person has switched the user's tree to another branch, which stands at the same commit. */
const isSwitched = ({ workspace, drift }: RunState, base: Base, head: HeadFacts): boolean =>
  workspace.worktree === null && drift.movers.length === 0 && base.branch !== head.branch;

const openSteps = ({ steps }: RunState): string[] =>
  Object.values(steps)
    .filter((step) => !isOver(step))
    .map(({ spec }) => spec.name);

const advised = (step: string, what: string): RunEvent => ({
  type: "StepAdvised",
  data: { step, by: "holdfast", note: `somebody else has committed meanwhile; ${what}` },
});

/** Null where a person's commits lie on top of what was there, and touch nothing of Holdfast's. */
export function unsafeBecause(base: Base | null, head: HeadFacts): string | null {
  const from = short(base?.commit ?? null);
  if (base !== null && base.branch !== head.branch)
    return `HEAD was on ${base.branch ?? "no branch"} and is on ${head.branch ?? "no branch"} now`;
  if (head.relation === "unknown") return `how ${short(head.commit)} relates to ${from} is not known`;
  if (head.relation !== "forward")
    return `history was rewritten: ${from}, on which the work started, is no longer an ancestor of ${short(head.commit)} any more`;
  const own = head.files.filter((file) => OWN.test(file));
  return own.length === 0 ? null : `it changes what is Holdfast's own: ${own.slice(0, 3).join(", ")}`;
}

const short = (commit: string | null): string => commit?.slice(0, 12) ?? "nothing";

export const movedText = (from: string | null, { branch, commit }: HeadFacts): string =>
  `${branch ?? "HEAD"} went from ${short(from)} to ${short(commit)}`;

const filesText = ({ files, count }: HeadFacts): string =>
  `${files.slice(0, 5).join(", ")}${count > 5 ? ` and ${String(count - 5)} more` : ""}`;

const blocked = (state: RunState, reason: "drift" | "operator_commit_refused", detail: string): RunEvent => ({
  type: "RunBlocked",
  data: {
    blocked: {
      reason,
      detail,
      attemptKept: Object.keys(state.attempts).length > 0,
      guidance: [],
    } satisfies Blocked,
  },
});
