import { isHooked } from "./evolve-hook.ts";
import type { Place } from "../place.ts";
import { proposes, stepOfTree, treeOfStep, worksApart } from "../workspace/workspace-place.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { EventData } from "../../model/events/events.ts";
import type { Tampering } from "../../model/flow/protected.ts";
import type { GuardState } from "../../model/state/kept-state.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

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
      guard.withdrawn = [];
    }
  },
  FilesTrusted(state: RunState, { tree, trusted, by }: EventData<"FilesTrusted">): void {
    const guard = guardOf(state, tree);
    guard.trusted = trusted;
    guard.report = null;
    if (by === "holdfast") return settled(state, tree, guard);
    // A person's word is about the bytes that were shown; whether they are still there the next look shows.
    guard.fresh = false;
    guard.failures = 0;
    guard.found = 0;
    guard.bringBack = false;
    guard.withdrawn = [];
  },
  ProtectedFilesChanged(
    state: RunState,
    { tree, trusted, undone, findings }: EventData<"ProtectedFilesChanged">,
    { at }: Place,
  ): void {
    const guard = guardOf(state, tree);
    guard.report = null;
    guard.found += 1;
    noteWithdrawn(guard, findings, at);
    if (!undone) return notSettled(state, tree);
    guard.trusted = trusted;
    settled(state, tree, guard);
  },
};

const WITHDRAWN_MAX = 20;

/** The last of each path; the oldest are forgotten, and their bytes stay. */
function noteWithdrawn(guard: GuardState, findings: readonly Tampering[], at: number): void {
  for (const { path, act, found } of findings) {
    if (found === undefined || act === "rewritten") continue;
    const others = guard.withdrawn.filter((one) => one.path !== path);
    guard.withdrawn = [...others, { path, act, found, at }].slice(-WITHDRAWN_MAX);
  }
}

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

/** Somebody had a say: what they were asked about is looked at again. */
export function guardsAfterPerson(state: RunState): void {
  for (const guard of Object.values(state.guards)) {
    guard.fresh = false;
    guard.failures = 0;
    guard.found = 0;
  }
}

export const isGuarded = ({ settings }: RunState): boolean =>
  settings.protected.usual === true || settings.protected.paths.length > 0;

/** Whether a step's work is looked at before it counts: by checks, for its outputs, or for protected files. */
const WORK_POINTS = ["before_validation", "after_validation", "before_acceptance"] as const;

export const isChecked = (state: RunState, step: StepState): boolean =>
  step.spec.checks.length > 0 ||
  (step.spec.outputs ?? []).length > 0 ||
  (step.spec.reviewers ?? []).length > 0 ||
  proposes(step) ||
  worksApart(state.settings, step) ||
  isGuarded(state) ||
  isHooked(state, ...WORK_POINTS);

export const newGuard = (): GuardState => ({
  trusted: null,
  checkedAt: 0,
  fresh: false,
  exposedTo: [],
  lookedWith: [],
  report: null,
  failures: 0,
  lastFailure: "",
  found: 0,
  bringBack: false,
  stirred: false,
  withdrawn: [],
});

/** An agent that begins may change what it finds. */
export function exposeGuards(state: RunState, attempt: string, step: string): void {
  const own = treeOfStep(state, step);
  for (const [tree, guard] of Object.entries(state.guards)) {
    if (tree !== own && stepOfTree(state, tree) !== null) continue;
    guard.fresh = false;
    if (!guard.exposedTo.includes(attempt)) guard.exposedTo.push(attempt);
  }
}
