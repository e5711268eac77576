import { proposes, treeOf, treeOfStep, writes } from "../../fold/workspace/workspace-place.ts";
import type { Blocked } from "../../model/requests/blocked.ts";
import { effectKey } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { isBreach, type OpenSeal, type SealOrder } from "../../model/requests/seal.ts";

/** So often a comparison that fails is tried again before a person is asked. */
const LOOKS_MAX = 3;

/** Refs are protected with the default files: a run without those is left alone. */
const isSealed = ({ settings }: RunState): boolean => settings.protected.usual === true;

/** What is recorded before an agent begins that may not write; nothing for one that may. */
export function sealOf(
  state: RunState,
  step: StepState,
  { attempt, now }: { readonly attempt: string; readonly now: number },
): { readonly seal?: SealOrder } {
  if (writes(step) || !isSealed(state)) return {};
  const tree = treeOf(state);
  // One that reads works in the tree itself, and what it changes there is put back.
  return {
    seal: { ...sealedPlace(state, tree), key: `${state.run}/${attempt}`, at: now, files: proposes(step) },
  };
}

/** The same for a reviewer; its evidence is bound to the files of the tree already. */
export const sealOfReview = (
  state: RunState,
  step: string,
  { session, now }: { readonly session: string; readonly now: number },
): { readonly seal?: SealOrder } =>
  isSealed(state)
    ? { seal: { ...sealedPlace(state, treeOfStep(state, step)), key: session, at: now, files: false } }
    : {};

const sealedPlace = (state: RunState, tree: string): { readonly project: string; readonly tree: string } => ({
  project: state.workspace.worktree?.project ?? tree,
  tree,
});

/**
 * Agents that only propose or review may not change the real repository (G16). How it stood is recorded before they
 * begin; once they have ended it is compared, before their work counts. What git's log proves to be theirs is undone by
 * the comparison, reported and counted. What it does not prove is a person's, or may be: it is reported and left alone.
 */
export function decideSeals(state: RunState): RunEvent[] {
  const [found] = state.seals.reports;
  if (found !== undefined) {
    const { report, ...of } = found;
    return [{ type: "RepositoryMoved", data: { ...of, breach: isBreach(report), ...report } }];
  }
  const due = Object.entries(state.seals.open).find(([attempt]) => isDue(state, attempt));
  if (due === undefined) return [];
  const [attempt, seal] = due;
  return seal.failures < LOOKS_MAX ? compare(attempt, seal) : askForHelp(state, seal);
}

const isDue = ({ attempts, effects }: RunState, attempt: string): boolean =>
  !Object.hasOwn(attempts, attempt) &&
  !Object.values(effects).some((effect) => effect.kind === "OpenSeal" && effect.of === attempt);

function compare(attempt: string, seal: OpenSeal): RunEvent[] {
  const { step, session, key, project, tree, at, files, shared, looks } = seal;
  const order = { key, project, tree, at, files: files && !shared, ends: [session] };
  const effect = { kind: "OpenSeal", of: attempt, step, ...order } as const;
  return [{ type: "EffectIntended", data: { key: effectKey(attempt, "OpenSeal", looks + 1), effect } }];
}

function askForHelp(state: RunState, { step, failure }: OpenSeal): RunEvent[] {
  if (state.status !== "running") return [];
  const blocked = {
    reason: "needs_human",
    detail: `the repository could not be compared with how it was before "${step}" began: ${failure}`,
    step,
    attemptKept: false,
    guidance: [],
  } satisfies Blocked;
  return [{ type: "RunBlocked", data: { blocked } }];
}

/** Whether the work of an attempt waits for a comparison. */
export const isUnsealing = ({ seals }: RunState, attempt: string): boolean =>
  Object.hasOwn(seals.open, attempt) || seals.reports.some((found) => found.attempt === attempt);

/** Nobody begins before what an ended agent may have done is compared: it would be taken for the next one's. */
export const owesComparison = ({ seals, attempts }: RunState): boolean =>
  seals.reports.length > 0 || Object.keys(seals.open).some((attempt) => !Object.hasOwn(attempts, attempt));
