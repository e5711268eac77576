import type { EventData, RunEvent } from "../../model/events/events.ts";
import type { Pattern } from "../../model/agent/health.ts";
import { attemptId } from "../../model/ids.ts";
import { isSettled, type LadderState, type RemedyOutcome } from "../../model/agent/ladder.ts";
import type { AttemptState, RunState, StepState } from "../../model/state/run-state.ts";
import { diagnosisOf } from "../health/diagnose.ts";
import { isWithinBudget, nextRemedy, type NextRemedy } from "./ladder.ts";
import { askTriage, heedTriage, decideTriage, passedOver } from "./decide-triage.ts";
import { beginsAfresh, effectsOf, helperOf, whyNot } from "./remedies.ts";
import { externalNotices } from "../requests/decide-escalations.ts";
import { staleInstead } from "./decide-stale.ts";
import { creditFor, creditForSuccess } from "./remedy-credit.ts";

/**
 * Takes remedies for an attempt that is stuck, one at a time, lightest first (R1).
 * A remedy is written down together with the effect that follows from it, so that the one that comes next knows of both
 * or of neither. Its outcome is watched: progress after it ends the trouble; without progress the next one comes when
 * it is due.
 */
export function climb(state: RunState, attempt: AttemptState, now: number): RunEvent[] {
  const step = state.steps[attempt.step];
  if (step === undefined) return [];
  const { ladder } = step;
  const credit = ladder === null || isSettled(ladder.outcome) ? null : creditFor(ladder, attempt);
  if (ladder !== null && credit !== null) return [rated(step, ladder.taken, credit.outcome, credit.why)];
  const { state: health, pattern } = attempt.assessed;
  if (health !== "stuck" || pattern === null) return [];
  const asked = askTriage(state, attempt, ladder);
  if (asked.length > 0) return asked;
  const next = nextFor(state, step, attempt, now);
  if (next === null || now < next.dueAt) return [];
  const mayRest = next.remedy === "operator" && ladder?.triage?.verdict !== "stop";
  const rests = mayRest ? staleInstead(state, attempt, now) : null;
  if (rests !== null) return rests;
  const before = noHelp(step, attempt.assessed, state.settings.ladder.calmMs);
  return [...before, ...take(state, attempt, next, pattern)];
}

/** When the next remedy is due; null while none is. */
export function climbDeadline(state: RunState, attempt: AttemptState, now: number): number | null {
  const step = state.steps[attempt.step];
  if (step === undefined || attempt.assessed.state !== "stuck") return null;
  return nextFor(state, step, attempt, now)?.dueAt ?? null;
}

const nextFor = (state: RunState, step: StepState, attempt: AttemptState, now: number): NextRemedy | null => {
  const next = nextOf(state, step, attempt.assessed.since, now);
  return heedTriage(state, step, attempt, next === null ? null : notHeldUp(state, step, attempt, next));
};

/** Words that cannot be said to this agent do not hold up what comes after them. */
function notHeldUp(state: RunState, step: StepState, attempt: AttemptState, next: NextRemedy): NextRemedy {
  const { ladder, remedies } = step;
  const { pattern } = attempt.assessed;
  const isWords = next.remedy === "nudge" || next.remedy === "strategy";
  if (!isWords || pattern === null || ladder === null || isSettled(ladder.outcome)) return next;
  if (isWithinBudget(next, state.settings) && whyNot(state, attempt, next, pattern) === null) return next;
  const { remedy, tryNumber } = next;
  const passed = { ...ladder, remedy, tryNumber, outcome: "not_applicable" as const };
  const after = nextRemedy(passed, remedies, state.settings, next.dueAt);
  if (after === null) return next;
  return { ...next, dueAt: Math.min(next.dueAt, notHeldUp(state, step, attempt, after).dueAt) };
}

/** Trouble that comes back soon goes on where the remedies stopped, with the time of its own that each of them has. */
function nextOf(
  { settings }: RunState,
  { ladder, remedies }: StepState,
  since: number,
  now: number,
): NextRemedy | null {
  if (ladder === null || !isSettled(ladder.outcome)) return nextRemedy(ladder, remedies, settings, now);
  if (!isSoon(ladder, since, settings.ladder.calmMs)) return nextRemedy(null, remedies, settings, now);
  const takenAt = Math.max(ladder.takenAt, since);
  return nextRemedy({ ...ladder, takenAt }, remedies, settings, now);
}

const isSoon = ({ decidedAt }: LadderState, backAt: number, calmMs: number): boolean =>
  backAt - (decidedAt ?? backAt) < calmMs;

function noHelp(step: StepState, { pattern, since }: AttemptState["assessed"], calmMs: number): RunEvent[] {
  const { ladder } = step;
  const why =
    ladder?.outcome === null
      ? "it is still stuck"
      : ladder !== null && isSettled(ladder.outcome) && isSoon(ladder, since, calmMs)
        ? "the trouble came back"
        : null;
  if (ladder === null || why === null) return [];
  return [rated(step, ladder.taken, "no_help", `${why} (${pattern ?? "unknown"})`)];
}

const rated = (
  { spec }: StepState,
  { remedy, tryNumber }: Pick<LadderState, "remedy" | "tryNumber">,
  outcome: RemedyOutcome,
  why: string,
): RunEvent => ({ type: "RemedyJudged", data: { step: spec.name, remedy, tryNumber, outcome, why } });

function take(state: RunState, attempt: AttemptState, next: NextRemedy, pattern: Pattern): RunEvent[] {
  const step = state.steps[attempt.step];
  if (step === undefined) return [];
  const cannot = isWithinBudget(next, state.settings)
    ? (passedOver(state, step, attempt, next.remedy) ?? whyNot(state, attempt, next, pattern))
    : "its budget is spent";
  if (cannot !== null) return [rated(step, next, "not_applicable", cannot)];
  const { cause } = diagnosisOf(attempt, pattern);
  const helper = next.remedy === "helper" ? helperOf(state, attempt, pattern) : null;
  const about = {
    step: attempt.step,
    attempt: attempt.id,
    pattern,
    cause,
    ...(helper === null ? {} : { helper }),
  };
  return [taken(about, next), ...effectsOf(state, attempt, next, pattern)];
}

type About = Pick<EventData<"RemedyTaken">, "step" | "attempt" | "pattern" | "cause" | "helper">;

const taken = (
  { step, attempt, pattern, cause, helper }: About,
  { remedy, tryNumber }: NextRemedy,
): RunEvent => ({
  type: "RemedyTaken",
  data: {
    step,
    attempt,
    remedy,
    tryNumber,
    pattern,
    ...(cause === undefined ? {} : { cause }),
    ...(helper === undefined ? {} : { helper }),
    ...(beginsAfresh(remedy, pattern) ? { afresh: true } : {}),
  },
});

/** When an operator who was asked about a stuck agent has had the time to answer; null while none is asked. */
export function unansweredAt(state: RunState): number | null {
  const step = askedAbout(state);
  if (step?.ladder?.remedy !== "operator" || step.ladder.outcome !== null) return null;
  return step.ladder.takenAt + state.settings.ladder.operatorMs;
}

const askedAbout = ({ status, blocked, steps }: RunState): StepState | undefined =>
  status === "blocked" && blocked?.reason === "stuck" ? steps[blocked.step ?? ""] : undefined;

/** What concerns remedies and no attempt alone: answers that came in, and such that did not. */
export function decideLadder(state: RunState, now: number): RunEvent[] {
  const triaged = decideTriage(state);
  return triaged.length > 0 ? triaged : climbUnanswered(state, now);
}

/** The last rung: nobody has answered, and people are notified by other ways. */
function climbUnanswered(state: RunState, now: number): RunEvent[] {
  const step = askedAbout(state);
  const due = unansweredAt(state);
  if (step === undefined || step.ladder === null || due === null || now < due) return [];
  const { ladder, spec, started } = step;
  const next = { remedy: "external", tryNumber: 1, dueAt: due } as const;
  const asked = rated(step, ladder, "no_help", "nobody has answered in time");
  const notices = externalNotices(state, now);
  if (notices.length === 0)
    return [asked, rated(step, next, "not_applicable", "no channel is kept for it (notify.external)")];
  return [
    asked,
    taken(
      { step: spec.name, attempt: step.live ?? attemptId(spec.name, started), pattern: ladder.pattern },
      next,
    ),
    ...notices,
  ];
}

/** A person who lets the run go on has answered: what was asked of them, and by other ways, has helped. */
export function afterAsking(state: RunState, changes: readonly RunEvent[]): RunEvent[] {
  const step = askedAbout(state);
  if (step === undefined || step.ladder === null) return [];
  if (!changes.some(({ type }) => type === "RunUnblocked")) return [];
  return [rated(step, step.ladder.taken, "helped", "a person has settled it")];
}

/** An attempt that succeeds while a remedy is watched says what became of it. */
export function afterSuccess(state: RunState, name: string): RunEvent[] {
  const step = state.steps[name];
  if (step?.ladder?.outcome !== null || step.ladder === null) return [];
  const { outcome, why } = creditForSuccess(step.ladder);
  return [rated(step, step.ladder.taken, outcome, why)];
}
