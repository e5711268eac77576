import { newBaseline, type CheckBefore } from "../model/baseline.ts";
import { effectKey, type Effect, type EffectOutcome } from "../model/effects.ts";
import type { RunEvent } from "../model/events.ts";
import { attemptId } from "../model/ids.ts";
import { POSITIVE_CLAIMS } from "../model/positive-claim.ts";
import type { RunState, StepState } from "../model/run-state.ts";
import { checkOrder } from "./check-order.ts";
import { areFilesInHand, takesCheckpoints } from "./judge-checkpoints.ts";
import { movedBy } from "./files-moved.ts";
import { proposes, worksApart, writes } from "./step-authority.ts";
import { lastKept, stepTreeOf } from "./workspace-place.ts";

type Check = StepState["spec"]["checks"][number];

/**
 * The baseline (B4): the checks of a step are run once before its first attempt, where they will be run after it. One
 * that was red then and is green later shows work; one that was green before shows none by itself. What is known of the
 * same files and the same command is not run again.
 */
export function baselineFirst(state: RunState, step: StepState, now: number): RunEvent[] | null {
  const { before, spec } = step;
  if (before.begun || !hasBaseline(state, step)) return null;
  // What is being kept just now tells whether the check has to be run at all.
  if (takesCheckpoints(state) && (areFilesInHand(state) || state.taken !== null)) return [];
  const known = [...before.checks, ...knownOf(state, treeDigest(state, spec.name))];
  const next = spec.checks.find((check) => !known.some((one) => isOf(one, check)));
  if (next === undefined) return null;
  if (isShowing(state, spec.name)) return [];
  const attempt = attemptId(spec.name, step.started + 1);
  const digest = treeDigest(state, spec.name);
  const effect = {
    ...checkOrder(state, step, { check: next, attempt, now }),
    phase: "before",
    ...(digest === null ? {} : { digest }),
  } as const;
  return [
    {
      type: "EffectIntended",
      data: { key: effectKey(`${attempt}/before`, "RunCheck", before.runs + 1), effect },
    },
  ];
}

/** A check is being run before the step's first attempt. */
export const isShowing = ({ effects }: RunState, step: string): boolean =>
  Object.values(effects).some(
    (effect) => effect.kind === "RunCheck" && effect.phase === "before" && effect.step === step,
  );

/** Whether the checks of a step are held against how things stood before it. */
const hasBaseline = (state: RunState, step: StepState): boolean =>
  state.settings.checks.baseline &&
  step.spec.checks.length > 0 &&
  (writes(step) || proposes(step)) &&
  !isPersons(state, step);

/** What a person does need not show in files. */
export const isPersons = ({ agents }: RunState, { spec }: StepState): boolean =>
  POSITIVE_CLAIMS[agents[spec.agent]?.use ?? "demo"].person;

const isOf = ({ command, clean }: CheckBefore, check: Check): boolean =>
  command === check.run && clean === (check.clean === true);

/** What a check showed before the step began; null where that is not known. */
export const shownBefore = ({ before }: StepState, check: Check): CheckBefore | null =>
  before.checks.find((one) => isOf(one, check)) ?? null;

/** It did not pass; that there was nothing to run is no pass either. */
export const wasRed = (step: StepState, check: Check): boolean => {
  const shown = shownBefore(step, check);
  return (
    shown !== null && (shown.verdict === "fail" || (shown.verdict === "unknown" && shown.exitCode !== null))
  );
};

/** Digest of the files that a step works on, as far as they were kept since they last changed. */
export function treeDigest(state: RunState, name: string): string | null {
  const step = state.steps[name];
  if (step === undefined || proposes(step)) return null;
  const own = stepTreeOf(state, name);
  if (own !== null) return own.saved ? (lastKept(state, own.tree)?.snapshot.digest ?? null) : null;
  return worksApart(state.settings, step) || !state.saved ? null : state.progress.digest;
}

const TREES_MAX = 20;

const knownOf = ({ baselines }: RunState, digest: string | null): readonly CheckBefore[] =>
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
export function settleBaseline(
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
