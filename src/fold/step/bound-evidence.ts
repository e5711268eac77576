import { noteFound } from "../gate/evolve-seal.ts";
import { spendAsked } from "../resource/spent-today.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import type { Evidence } from "../../model/effects/evidence.ts";
import type { BoundState, BoundTree, MovedFiles, Proof } from "../../model/state/bound-tree.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

/** So often evidence is taken again because its tree moved; then a person is asked (I7). */
export const MOVES_MAX = 3;

/** Sessions of ended attempts that are remembered until evidence is taken. */
const LEFTOVERS_MAX = 200;

interface WasBound {
  readonly bound?: BoundTree | undefined;
  readonly ends?: readonly string[] | undefined;
}

/** What the checks of a step write themselves. */
export const writtenBy = ({ spec }: StepState): string[] => [
  ...new Set(spec.checks.flatMap((check) => check.writes ?? [])),
];

/** An attempt has ended; its session may have left processes behind. */
export function noteLeftover(state: RunState, session: string): void {
  state.leftovers = [...state.leftovers.filter((one) => one !== session), session].slice(-LEFTOVERS_MAX);
}

/** What was ordered to be ended is ended, or nothing of it was found. */
export function settleBound(state: RunState, { ends, bound }: WasBound, outcome: EffectOutcome): void {
  if (outcome.kind !== "done") return;
  if (ends !== undefined) state.leftovers = state.leftovers.filter((one) => !ends.includes(one));
  if (bound !== undefined) state.seen[bound.slot] = bound.project ?? bound.tree;
}

interface Bindable {
  evidence: Evidence[];
  readonly bound: BoundState;
}

/**
 * Takes in what came of a check. True where its tree moved: it does not count, nor does what was shown before it, and
 * all of it is taken again. After so many times the evidence is `unknown` and names the files.
 */
export function noteMoved(place: Bindable, command: string, outcome: EffectOutcome): boolean {
  if (outcome.kind !== "done") return false;
  const { moved, evidence, seen } = outcome;
  // A check that does not pass speaks against the work, no matter what moved.
  const isMoved = moved !== undefined && (evidence === undefined || evidence.verdict === "pass");
  if (!isMoved) {
    if (seen !== undefined) place.bound.seen ??= seen;
    return false;
  }
  forgetSeen(place, moved);
  if (place.bound.moves >= MOVES_MAX) place.evidence.push(nothingShown(command, moved));
  return true;
}

export function forgetSeen(place: Bindable, moved: MovedFiles): void {
  place.evidence.length = 0;
  place.bound.seen = null;
  place.bound.moves += 1;
  place.bound.moved = moved;
}

const nothingShown = (command: string, moved: MovedFiles): Evidence => ({
  command,
  verdict: "unknown",
  exitCode: null,
  signal: null,
  timedOut: false,
  outputBytes: 0,
  digest: "",
  excerpt: "",
  durationMs: 0,
  moved: moved.files,
});

/** What the evidence of a step speaks of, once all of it has passed. */
export function proofOf(step: StepState): Proof | null {
  const { checking } = step;
  if (checking === null || checking.bound.seen === null) return null;
  return { ...checking.bound.seen, attempt: checking.attempt, writes: writtenBy(step) };
}

/** What was to be joined or proposed is not what its evidence speaks of: that is taken again. */
export function noteUnproved(
  { steps, workspace }: RunState,
  { step, attempt }: { readonly step: string; readonly attempt: string },
  { files, count }: MovedFiles,
): void {
  workspace.failures = 0;
  const checking = steps[step]?.checking ?? null;
  if (checking?.attempt !== attempt) return;
  const command = checking.evidence.at(-1)?.command ?? "its checks";
  forgetSeen(checking, { files, count });
  checking.reviews = [];
  checking.outputs = null;
  if (checking.bound.moves >= MOVES_MAX) checking.evidence.push(nothingShown(command, { files, count }));
}

export type AskReview = Extract<Effect, { kind: "AskReview" }>;

const TRIES_MAX = 6;

export function intendReview(state: RunState, { step, attempt }: AskReview): void {
  const checking = state.steps[step]?.checking ?? null;
  if (checking?.attempt === attempt) checking.asked += 1;
}

/** What it cost is the run's, no matter what it is worth. */
export function settleReview(
  state: RunState,
  effect: AskReview,
  { outcome, at }: { readonly outcome: EffectOutcome; readonly at: number },
): void {
  const { step, attempt, agent } = effect;
  settleBound(state, effect, outcome);
  if (outcome.kind !== "in_doubt" && outcome.seal !== undefined)
    noteFound(state, { attempt, step, agent, report: outcome.seal });
  const report = outcome.kind === "done" ? outcome.review : undefined;
  const used = outcome.kind === "in_doubt" ? undefined : outcome.used;
  spendAsked(state, report ?? used ?? { usd: 0, tokens: 0 }, at);
  const checking = state.steps[step]?.checking ?? null;
  if (checking?.attempt !== attempt) return;
  if (noteMoved(checking, `the review by ${agent}`, outcome)) {
    checking.reviews = [];
    return;
  }
  // What was broken off, or could not be done, shows nothing: it is done again, so often.
  if (report === undefined && checking.asked < TRIES_MAX) return;
  const why = outcome.kind === "done" ? "no answer" : outcome.text;
  checking.reviews.push(
    report ?? { agent, verdict: "none", findings: [], why, digest: "", usd: 0, tokens: 0 },
  );
}
