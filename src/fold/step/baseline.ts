import { noteMoved, settleBound } from "./bound-evidence.ts";
import { lastKept, movedBy, proposes, stepTreeOf, worksApart, writes } from "../workspace/workspace-place.ts";
import { settleHome } from "../workspace/settle-join.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import type { Effect } from "../../model/effects/effects.ts";
import { type CheckBefore, newBaseline } from "../../model/state/baseline.ts";
import type { AttemptState, RunState, StepState } from "../../model/state/run-state.ts";

export type Check = StepState["spec"]["checks"][number];

export const isOf = ({ command, clean }: CheckBefore, check: Check): boolean =>
  command === check.run && clean === (check.clean === true);

/** What a check showed before the step began; null where that is not known. */
export const shownBefore = ({ before }: StepState, check: Check): CheckBefore | null =>
  before.checks.find((one) => isOf(one, check)) ?? null;

/** Digest of the files that a step works on, as far as they were kept since they last changed. */
export function treeDigest(state: RunState, name: string): string | null {
  const step = state.steps[name];
  if (step === undefined || proposes(step)) return null;
  const own = stepTreeOf(state, name);
  if (own !== null) return own.saved ? (lastKept(state, own.tree)?.snapshot.digest ?? null) : null;
  return worksApart(state.settings, step) || !state.saved ? null : state.progress.digest;
}

const TREES_MAX = 20;

export const knownOf = ({ baselines }: RunState, digest: string | null): readonly CheckBefore[] =>
  digest === null || !Object.hasOwn(baselines, digest) ? [] : (baselines[digest] ?? []);

/** What checks have shown of the files with that digest; the oldest are forgotten. */
export function rememberShown(state: RunState, digest: string | null, shown: readonly CheckBefore[]): void {
  if (digest === null || shown.length === 0) return;
  const others = knownOf(state, digest).filter(
    (one) => !shown.some(({ command, clean }) => command === one.command && clean === one.clean),
  );
  Reflect.deleteProperty(state.baselines, digest);
  state.baselines[digest] = [...others, ...shown].slice(-TREES_MAX);
  const [oldest, ...rest] = Object.keys(state.baselines);
  if (oldest !== undefined && rest.length >= TREES_MAX) Reflect.deleteProperty(state.baselines, oldest);
}

/** A step is done: what its checks have shown holds for the files as they are kept next, until somebody begins on them. */
export function noteShown(state: RunState, step: StepState): void {
  const { checking, spec } = step;
  if (checking === null || !writes(step) || worksApart(state.settings, step)) return;
  state.progress.shown = checking.evidence.map(({ command, verdict, exitCode }, at) => ({
    command,
    clean: spec.checks[at]?.clean === true,
    verdict,
    exitCode,
  }));
}

/** An attempt begins: the first of a step fixes how things stood, and what others were shown of its tree is out of date. */
export function beginBaseline(state: RunState, name: string): void {
  const step = state.steps[name];
  if (step === undefined) return;
  const { before } = step;
  if (!before.begun) {
    const digest = treeDigest(state, name);
    const missing = step.spec.checks.filter((check) => shownBefore(step, check) === null);
    const known = knownOf(state, digest).filter((one) => missing.some((check) => isOf(one, check)));
    before.checks.push(...known);
    before.digest = digest;
    before.begun = true;
    rememberShown(state, digest, before.checks);
  }
  if (!writes(step) || worksApart(state.settings, step)) return;
  state.progress.shown = [];
  for (const other of state.baselined) {
    const waiting = state.steps[other];
    if (other !== name && waiting?.before.begun === false)
      waiting.before = { ...newBaseline(), runs: waiting.before.runs };
  }
  state.baselined = [];
}

/** So often a check is run beforehand whose outcome is not learnt; then nothing is known of it. */
const FAILURES_MAX = 3;

export function intendBaseline(state: RunState, step: string): void {
  const before = state.steps[step]?.before;
  if (before === undefined) return;
  before.runs += 1;
  if (!state.baselined.includes(step)) state.baselined.push(step);
}

/** A check that could not be run beforehand is information, not an error. */
function settleBaseline(
  state: RunState,
  effect: Extract<Effect, { kind: "RunCheck" }>,
  outcome: EffectOutcome,
): void {
  const step = state.steps[effect.step];
  if (step === undefined || step.before.begun) return;
  if (effect.clean === undefined) movedBy(state, effect.step);
  const evidence = outcome.kind === "done" ? outcome.evidence : undefined;
  const isLearnt = evidence !== undefined && (evidence.verdict !== "unknown" || evidence.exitCode !== null);
  if (!isLearnt) step.before.failures += 1;
  if (!isLearnt && step.before.failures < FAILURES_MAX) return;
  step.before.failures = 0;
  step.before.checks.push({
    command: effect.command,
    clean: effect.clean !== undefined,
    verdict: evidence?.verdict ?? "unknown",
    exitCode: evidence?.exitCode ?? null,
  });
}

/** So often a check is tried whose outcome cannot be learned; then a person is asked (I6). */
const UNKNOWNS_MAX = 3;

/** One whose outcome was not learnt does not outrank anything. */
function settleShown(attempt: AttemptState | undefined, outcome: EffectOutcome): void {
  const evidence = outcome.kind === "done" ? outcome.evidence : undefined;
  attempt?.shown.push(evidence?.verdict ?? "unknown");
}

/**
 * A check that found nothing out (it was interrupted, or could not be run) leaves no evidence and is run again. So is
 * one whose tree moved, with all that was shown before it.
 */
export function settleCheck(
  state: RunState,
  effect: Extract<Effect, { kind: "RunCheck" }>,
  outcome: EffectOutcome,
): void {
  const { step, attempt, phase, command } = effect;
  if (phase === "before") return settleBaseline(state, effect, outcome);
  if (phase === "home") return settleHome(state, effect, outcome);
  if (phase === "end") return settleShown(state.attempts[attempt], outcome);
  settleBound(state, effect, outcome);
  const checking = state.steps[step]?.checking ?? null;
  // What was found about work that was sent back says nothing about the work that followed it.
  if (checking === null || checking.attempt !== attempt) return;
  if (noteMoved(checking, command, outcome)) {
    checking.reviews = [];
    return;
  }
  if (outcome.kind !== "done" || outcome.evidence === undefined) return;
  if (outcome.evidence.verdict === "unknown") checking.unknowns += 1;
  else checking.unknowns = 0;
  if (outcome.evidence.verdict === "unknown" && checking.unknowns < UNKNOWNS_MAX) return;
  checking.evidence.push(outcome.evidence);
}
