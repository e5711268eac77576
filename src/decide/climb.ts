import { CAPABILITIES } from "../model/agent-kinds.ts";
import { effectKey } from "../model/effects.ts";
import type { RunEvent } from "../model/events.ts";
import type { Pattern } from "../model/health.ts";
import type { LadderState } from "../model/ladder.ts";
import type { AttemptState, RunState, StepState } from "../model/run-state.ts";
import {
  isWithinBudget,
  nextRemedy,
  nudgeText,
  restartNote,
  strategyText,
  type NextRemedy,
} from "./ladder.ts";

/**
 * Takes remedies for an attempt that is stuck, one at a time, lightest first (R1).
 * A remedy is written down together with the effect that follows from it, so that whoever comes next knows of both or of
 * neither. Its outcome is watched: progress after it ends the trouble; without progress the next one comes when it is due.
 */
export function climb(state: RunState, attempt: AttemptState, now: number): RunEvent[] {
  const step = state.steps[attempt.step];
  if (step === undefined) return [];
  const { ladder } = step;
  if (ladder !== null && hasHelped(ladder, attempt))
    return [judged(step, ladder, "helped", "progress was seen after it")];
  const { state: health, pattern } = attempt.assessed;
  if (health !== "stuck" || pattern === null) return [];
  const next = nextRemedy(ladder, step.remedies, state.settings, now);
  if (next === null || now < next.dueAt) return [];
  const before =
    ladder?.outcome === null ? [judged(step, ladder, "no_help", `it is still stuck (${pattern})`)] : [];
  return [...before, ...take(state, attempt, next, pattern)];
}

/** When the next remedy is due; null while none is. */
export function climbDeadline(state: RunState, attempt: AttemptState, now: number): number | null {
  const step = state.steps[attempt.step];
  if (step === undefined || attempt.assessed.state !== "stuck") return null;
  return nextRemedy(step.ladder, step.remedies, state.settings, now)?.dueAt ?? null;
}

/** Only what the agent did after the remedy counts, and only if it is well by now. */
const hasHelped = ({ takenAt }: LadderState, { assessed, health }: AttemptState): boolean =>
  assessed.state !== "stuck" &&
  assessed.state !== "degraded" &&
  health.progressAt > Math.max(takenAt, health.startedAt);

const judged = (
  { spec }: StepState,
  { remedy, tryNumber }: Pick<LadderState, "remedy" | "tryNumber">,
  outcome: "helped" | "no_help" | "not_applicable",
  why: string,
): RunEvent => ({ type: "RemedyJudged", data: { step: spec.name, remedy, tryNumber, outcome, why } });

function take(state: RunState, attempt: AttemptState, next: NextRemedy, pattern: Pattern): RunEvent[] {
  const step = state.steps[attempt.step];
  if (step === undefined) return [];
  const cannot = isWithinBudget(next, state.settings)
    ? whyNot(state, attempt, next, pattern)
    : "its budget is spent";
  if (cannot !== null) return [judged(step, next, "not_applicable", cannot)];
  const taken: RunEvent = {
    type: "RemedyTaken",
    data: {
      step: attempt.step,
      attempt: attempt.id,
      remedy: next.remedy,
      tryNumber: next.tryNumber,
      pattern,
    },
  };
  return [taken, ...effectsOf(state, attempt, next, pattern)];
}

/** Why a remedy cannot be tried with this agent and this trouble; null where it can. */
function whyNot(
  state: RunState,
  attempt: AttemptState,
  { remedy }: NextRemedy,
  pattern: Pattern,
): string | null {
  const use = state.agents[attempt.agent]?.use ?? "manual";
  switch (remedy) {
    case "warn":
    case "restart":
    case "operator":
      return null;
    case "nudge":
      if (pattern === "resource_exhaustion") return "words would fill its context further";
      return CAPABILITIES[use].steer === "live" ? null : "the agent cannot be told anything while it works";
    case "strategy":
      return CAPABILITIES[use].steer === "live" ? null : "the agent cannot be told anything while it works";
    case "restore":
      return "there is no checkpoint to go back to";
    case "other_agent":
      return "no other agent is bound to the step";
    case "external":
      return "people are told through their channels when an operator is asked";
  }
}

function effectsOf(
  state: RunState,
  attempt: AttemptState,
  { remedy, tryNumber }: NextRemedy,
  pattern: Pattern,
): RunEvent[] {
  const { evidence } = attempt.assessed;
  switch (remedy) {
    case "nudge":
      return telling(state, attempt, nudgeText(pattern, tryNumber, evidence));
    case "strategy":
      return telling(state, attempt, strategyText(pattern));
    case "restart":
      return [
        {
          type: "StepAdvised",
          data: { step: attempt.step, note: restartNote(pattern, evidence), by: "holdfast" },
        },
        {
          type: "AttemptEnding",
          data: { attempt: attempt.id, to: "stuck", why: `it is stuck (${pattern}) and is started again` },
        },
      ];
    case "operator":
      return [stuckBlock(attempt, pattern)];
    case "warn":
    case "restore":
    case "other_agent":
    case "external":
      return [];
  }
}

function telling(state: RunState, attempt: AttemptState, text: string): RunEvent[] {
  const spec = state.agents[attempt.agent];
  if (spec === undefined) return [];
  const key = effectKey(attempt.id, "TellAgent", attempt.tells + 1);
  const { id, session, step } = attempt;
  const effect = { kind: "TellAgent", attempt: id, session, spec, step, text, remedy: true } as const;
  return [{ type: "EffectIntended", data: { key, effect } }];
}

const stuckBlock = ({ step, id, assessed }: AttemptState, pattern: Pattern): RunEvent => ({
  type: "RunBlocked",
  data: {
    blocked: {
      reason: "stuck",
      detail: `${id} is stuck (${pattern}) and no remedy helped: ${assessed.evidence.join("; ")}`,
      step,
      attemptKept: true,
      guidance: [],
    },
  },
});
