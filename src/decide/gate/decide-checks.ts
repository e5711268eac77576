import { effectKey, type Effect } from "../../model/effects/effects.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { Evidence } from "../../model/effects/evidence.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { boundOfStep } from "./bound-evidence.ts";
import { MOVES_MAX } from "../../fold/step/bound-evidence.ts";
import { checkOrder } from "../dispatch/baseline-rule.ts";
import { guardAfter } from "./decide-guard.ts";
import { hooksFirst } from "../../fold/gate/evolve-hook.ts";
import { decideOutputs } from "./decide-outputs.ts";
import { recheckRepository } from "../dispatch/decide-repository.ts";
import { failureOf } from "../attempt/retry-class.ts";
import { failOrExpert } from "../ladder/try-expert.ts";
import { decideReviews } from "./decide-reviews.ts";
import { lookFirst, whyUnproved } from "../attempt/success-rule.ts";
import { isUnsealing } from "./seal-rule.ts";
import { dropTriage } from "../ladder/decide-triage.ts";
import { endGraceMs } from "../resources/store-hold.ts";

/**
 * Work that an agent has ended is checked by Holdfast itself, one check after the other: the first that does not
 * pass sends it back with what was found, and the third time a person is asked (G6).
 */
export function decideChecks(state: RunState, now: number): RunEvent[] {
  for (const name in state.checking) {
    const step = state.steps[name];
    if (step === undefined) continue;
    const events = decideStep(state, step, now);
    if (events.length > 0) return events;
  }
  return [];
}

function decideStep(state: RunState, step: StepState, now: number): RunEvent[] {
  const { checking, spec } = step;
  if (checking === null) return [];
  if (isUnsealing(state, checking.attempt)) return [];
  if (checking.breach !== null) return breached(step, checking.breach);
  // Gates are put back before they assess.
  if (checking.guarded !== "yes") return guardAfter(state, checking.attempt, spec.name);
  const about = { subject: checking.attempt, step: spec.name };
  const hooked = hooksFirst(state, { point: "before_validation", ...about });
  if (hooked !== null) return hooked;
  const last = checking.evidence.at(-1);
  const isOver = checking.evidence.length === spec.checks.length || (last ?? PASSED).verdict !== "pass";
  const looked = isOver ? hooksFirst(state, { point: "after_validation", ...about }) : null;
  if (looked !== null) return looked;
  if (last !== undefined && last.verdict !== "pass") return notPassed(state, step, { last, now });
  const unproved = checking.evidence.length === spec.checks.length ? whyUnproved(state, step) : null;
  if (unproved !== null) return sentBack(state, step, { feedback: unproved, verdict: "fail", now });
  if (checking.evidence.length === spec.checks.length)
    return (
      decideReviews(state, step, now) ??
      hooksFirst(state, { point: "before_acceptance", ...about }) ??
      decideOutputs(state, step, now)
    );
  if (isUnderWay(state, spec.name)) return [];
  return lookFirst(state, step, now) ?? intendCheck(state, step, now);
}

const PASSED = { verdict: "pass" } as const;

const isUnderWay = (state: RunState, name: string): boolean =>
  Object.values(state.effects).some(
    (effect) => effect.kind === "RunCheck" && effect.step === name && effect.phase === undefined,
  );

function intendCheck(state: RunState, step: StepState, now: number): RunEvent[] {
  const { checking, spec } = step;
  const check = checking === null ? undefined : spec.checks[checking.evidence.length];
  if (checking === null || check === undefined) return [];
  const key = effectKey(checking.attempt, "RunCheck", checking.runs + 1);
  const order = checkOrder(state, step, { check, attempt: checking.attempt, now });
  const effect = { ...order, ...boundOfStep(state, step, now) };
  return [{ type: "EffectIntended", data: { key, effect } }];
}

function notPassed(
  state: RunState,
  step: StepState,
  { last, now }: { readonly last: Evidence; readonly now: number },
): RunEvent[] {
  const verdict = last.verdict === "fail" ? "fail" : "unknown";
  const feedback = feedbackOf(last);
  return [
    ...sentBack(state, step, { feedback, verdict, now }),
    ...recheckRepository(state, step, last, feedback),
  ];
}

/** No agent mends that: a person is asked at once. */
function breached({ spec, checking }: StepState, text: string): RunEvent[] {
  const attempt = checking?.attempt ?? "";
  const failure = failureOf("check_failed", text);
  return [
    { type: "StepChecked", data: { step: spec.name, attempt, verdict: "fail", feedback: text } },
    { type: "StepFailed", data: { step: spec.name, failure } },
  ];
}

interface SentBack {
  readonly feedback: string;
  readonly verdict: "fail" | "unknown";
  readonly now: number;
}

/** Back to the agent with what was found, or to a person when that was to no avail so often. */
function sentBack(state: RunState, step: StepState, { feedback, verdict, now }: SentBack): RunEvent[] {
  const name = step.spec.name;
  const attempt = step.checking?.attempt ?? "";
  const checked: RunEvent = { type: "StepChecked", data: { step: name, attempt, verdict, feedback } };
  if (verdict === "fail" && step.checkFails + 1 < state.settings.checks.tries)
    return [checked, { type: "StepRetryScheduled", data: { step: name, notBefore: now } }];
  const text = verdict === "fail" ? feedback : `its check could not be carried out: ${feedback}`;
  const failure = failureOf("check_failed", text);
  // A check that could not be carried out is nothing that another agent mends.
  if (verdict === "unknown") return [checked, { type: "StepFailed", data: { step: name, failure } }];
  return [checked, ...failOrExpert(state, step, { attempt, failure, now })];
}

/** What the agent receives: which check, how it ended, and the end of what it printed. */
export function feedbackOf({ command, exitCode, signal, timedOut, excerpt, moved }: Evidence): string {
  if (moved !== undefined) return movedFeedback(command, moved);
  const how = timedOut
    ? "did not end in time"
    : exitCode === null
      ? `was ended by ${signal ?? "something unknown"}`
      : `ended with exit code ${String(exitCode)}`;
  return [`the check \`${command}\` ${how}`, ...(excerpt.trim() === "" ? [] : ["it printed:", excerpt])].join(
    "\n",
  );
}

const movedFeedback = (command: string, files: readonly string[]): string =>
  `files changed while the evidence was taken (\`${command}\`), ${String(MOVES_MAX)} times, so it shows nothing: ${files.join(", ")}. End what changes them. If the check itself writes them, name them in its \`writes\` or in .gitignore`;

/**
 * A run that stops does not wait for its checks; they are run again when it goes on. A reviewer may be at work although
 * nobody receives it just now, and is ended by an effect of its own.
 */
export const dropChecks = (state: RunState): RunEvent[] =>
  Object.entries(state.effects).flatMap(([key, effect]): RunEvent[] =>
    effect.kind === "RunCheck" ||
    effect.kind === "CollectOutputs" ||
    effect.kind === "AskReview" ||
    (effect.kind === "RunAtGate" && effect.part === "check")
      ? dropped(state, key, effect, "the run is stopping")
      : [],
  );

const dropped = (state: RunState, key: string, effect: Effect, text: string): RunEvent[] => [
  { type: "EffectSettled", data: { key, outcome: { kind: "failed", text, terminal: false } } },
  ...(effect.kind === "AskReview" ? [endReviewer(state, key, effect)] : []),
];

/** Ends sessions that no attempt is about: reviewers, who are asked again later, and an agent that triage asks. */
export const dropAsked = (state: RunState, why: string): RunEvent[] => [
  ...Object.entries(state.effects).flatMap(([key, effect]) =>
    effect.kind === "AskReview" ? dropped(state, key, effect, why) : [],
  ),
  ...dropTriage(state, why),
];

/** None of them works on while people are asked (B1). */
export const suspendAsked = (state: RunState, now: number): RunEvent[] =>
  now < askedSuspendedAt(state) ? [] : dropAsked(state, "the run waits for people");

export const askedSuspendedAt = ({ blocked, blockedAt, effects, settings }: RunState): number =>
  blocked !== null && Object.values(effects).some(({ kind }) => ASKS.has(kind))
    ? blockedAt + settings.suspend.turnMs
    : Infinity;

const ASKS: ReadonlySet<Effect["kind"]> = new Set(["AskReview", "AskTriage"]);

function endReviewer(
  state: RunState,
  review: string,
  { attempt, session, spec, prices, seal, step, agent }: Extract<Effect, { kind: "AskReview" }>,
): RunEvent {
  const graceMs = endGraceMs(state);
  const effect: Effect = {
    kind: "EndAgent",
    ...{ attempt, session, spec, graceMs, review },
    ...(prices === undefined ? {} : { prices }),
    ...(seal === undefined ? {} : { sealed: { step, agent, seal } }),
  };
  return { type: "EffectIntended", data: { key: effectKey(review, "EndAgent"), effect } };
}
