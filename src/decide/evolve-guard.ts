import type { EffectOutcome } from "../model/effects.ts";
import type { EventData } from "../model/events.ts";
import type { RunState, StepState } from "../model/run-state.ts";
import type { GuardState } from "../model/kept-state.ts";
import { newGuard } from "./guard-rules.ts";
import { treeOfStep } from "./workspace-place.ts";

const guardOf = (state: RunState, tree: string): GuardState => (state.guards[tree] ??= newGuard());

/** Found as trusted, or trusted as found: from here on only attempts that live can change something. */
function settled(state: RunState, tree: string, guard: GuardState): void {
  guard.fresh = true;
  guard.bringBack = false;
  guard.exposedTo = [...new Set([...guard.lookedWith, ...Object.keys(state.attempts)])];
  for (const checking of checkingIn(state, tree))
    if (checking.guarded === "looking") checking.guarded = "yes";
}

const checkingIn = (state: RunState, tree: string): NonNullable<StepState["checking"]>[] =>
  Object.keys(state.checking)
    .filter((name) => treeOfStep(state, name) === tree)
    .flatMap((name) => state.steps[name]?.checking ?? []);

export function intendGuard(state: RunState, tree: string): void {
  state.guardChecks += 1;
  const guard = guardOf(state, tree);
  guard.lookedWith = Object.keys(state.attempts);
  guard.stirred = false;
  for (const checking of checkingIn(state, tree)) if (checking.guarded === "no") checking.guarded = "looking";
}

/** The part of the fold that concerns protected files. */
export const evolveGuard = {
  ProtectedFilesStirred(state: RunState, { tree }: EventData<"ProtectedFilesStirred">): void {
    guardOf(state, tree).stirred = true;
  },
  FilesDistrusted(state: RunState): void {
    for (const guard of Object.values(state.guards)) {
      guard.fresh = false;
      guard.bringBack = true;
    }
  },
  FilesTrusted(state: RunState, { tree, trusted, by }: EventData<"FilesTrusted">): void {
    const guard = guardOf(state, tree);
    guard.trusted = trusted;
    guard.report = null;
    if (by === "holdfast") return settled(state, tree, guard);
    // A person's word is about the bytes that were shown; whether they are still there the next look tells.
    guard.fresh = false;
    guard.failures = 0;
    guard.found = 0;
    guard.bringBack = false;
  },
  ProtectedFilesChanged(
    state: RunState,
    { tree, trusted, undone }: EventData<"ProtectedFilesChanged">,
  ): void {
    const guard = guardOf(state, tree);
    guard.report = null;
    guard.found += 1;
    if (!undone) return notSettled(state, tree);
    guard.trusted = trusted;
    settled(state, tree, guard);
  },
};

export function settleGuard(
  state: RunState,
  tree: string,
  { outcome, at }: { readonly outcome: EffectOutcome; readonly at: number },
): void {
  const guard = guardOf(state, tree);
  guard.checkedAt = at;
  if (outcome.kind !== "done" || outcome.guard === undefined) {
    guard.failures += 1;
    guard.lastFailure = outcome.kind === "done" ? "it has shown nothing" : outcome.text;
    return notSettled(state, tree);
  }
  guard.failures = 0;
  const isNews = guard.trusted === null || outcome.guard.count > 0;
  if (isNews) guard.report = outcome.guard;
  else settled(state, tree, guard);
}

function notSettled(state: RunState, tree: string): void {
  for (const checking of checkingIn(state, tree)) if (checking.guarded === "looking") checking.guarded = "no";
}

/** Somebody had a say: what they were asked about is looked at anew. */
export function guardsAfterPerson(state: RunState): void {
  for (const guard of Object.values(state.guards)) {
    guard.fresh = false;
    guard.failures = 0;
    guard.found = 0;
  }
}
