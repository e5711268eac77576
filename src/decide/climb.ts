import type { RunEvent } from "../model/events.ts";
import type { Pattern } from "../model/health.ts";
import { attemptId } from "../model/ids.ts";
import type { LadderState } from "../model/ladder.ts";
import type { AttemptState, RunState, StepState } from "../model/run-state.ts";
import { isWithinBudget, nextRemedy, type NextRemedy } from "./ladder.ts";
import { askTriage, heedTriage, judgeTriage, passedOver } from "./judge-triage.ts";
import { beginsAfresh, effectsOf, whyNot } from "./remedies.ts";
import { externalNotices } from "./judge-escalations.ts";
import { staleInstead } from "./judge-stale.ts";

/**
 * Takes remedies for an attempt that is stuck, one at a time, lightest first (R1).
 * A remedy is written down together with the effect that follows from it, so that whoever comes next knows of both or of
 * neither. Its outcome is watched: progress after it ends the trouble; without progress the next one comes when it is due.
 */
export function climb(state: RunState, attempt: AttemptState, now: number): RunEvent[] {
  const step = state.steps[attempt.step];
  if (step === undefined) return [];
  const { ladder } = step;
  if (ladder !== null && ladder.outcome !== "helped" && hasHelped(ladder, attempt))
    return [judged(step, ladder.taken, "helped", "progress was seen after it")];
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
  if (!isWords || pattern === null || ladder === null || ladder.outcome === "helped") return next;
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
  if (ladder?.outcome !== "helped") return nextRemedy(ladder, remedies, settings, now);
  if (!isSoon(ladder, since, settings.ladder.calmMs)) return nextRemedy(null, remedies, settings, now);
  const takenAt = Math.max(ladder.takenAt, since);
  return nextRemedy({ ...ladder, takenAt }, remedies, settings, now);
}

const isSoon = ({ judgedAt }: LadderState, backAt: number, calmMs: number): boolean =>
  backAt - (judgedAt ?? backAt) < calmMs;

/** Only what the agent did after the remedy counts, and only if it is well by now. */
const hasHelped = ({ takenAt }: LadderState, { assessed, health }: AttemptState): boolean =>
  assessed.state !== "stuck" &&
  assessed.state !== "degraded" &&
  health.progressAt > Math.max(takenAt, health.startedAt);

function noHelp(step: StepState, { pattern, since }: AttemptState["assessed"], calmMs: number): RunEvent[] {
  const { ladder } = step;
  const why =
    ladder?.outcome === null
      ? "it is still stuck"
      : ladder?.outcome === "helped" && isSoon(ladder, since, calmMs)
        ? "the trouble came back"
        : null;
  if (ladder === null || why === null) return [];
  return [judged(step, ladder.taken, "no_help", `${why} (${pattern ?? "unknown"})`)];
}

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
    ? (passedOver(state, step, attempt, next.remedy) ?? whyNot(state, attempt, next, pattern))
    : "its budget is spent";
  if (cannot !== null) return [judged(step, next, "not_applicable", cannot)];
  return [taken(attempt.step, attempt.id, next, pattern), ...effectsOf(state, attempt, next, pattern)];
}

const taken = (
  step: string,
  attempt: string,
  { remedy, tryNumber }: NextRemedy,
  pattern: Pattern,
): RunEvent => ({
  type: "RemedyTaken",
  data: {
    step,
    attempt,
    remedy,
    tryNumber,
    pattern,
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
export function judgeLadder(state: RunState, now: number): RunEvent[] {
  const triaged = judgeTriage(state);
  return triaged.length > 0 ? triaged : climbUnanswered(state, now);
}

/** The last rung: nobody has answered, and people are told by other ways. */
function climbUnanswered(state: RunState, now: number): RunEvent[] {
  const step = askedAbout(state);
  const due = unansweredAt(state);
  if (step === undefined || step.ladder === null || due === null || now < due) return [];
  const { ladder, spec, started } = step;
  const next = { remedy: "external", tryNumber: 1, dueAt: due } as const;
  const asked = judged(step, ladder, "no_help", "nobody has answered in time");
  const notices = externalNotices(state, now);
  if (notices.length === 0)
    return [asked, judged(step, next, "not_applicable", "no channel is kept for it (notify.external)")];
  return [
    asked,
    taken(spec.name, step.live ?? attemptId(spec.name, started), next, ladder.pattern),
    ...notices,
  ];
}

/** A person who lets the run go on has answered: what was asked of them, and by other ways, has helped. */
export function afterAsking(state: RunState, changes: readonly RunEvent[]): RunEvent[] {
  const step = askedAbout(state);
  if (step === undefined || step.ladder === null) return [];
  if (!changes.some(({ type }) => type === "RunUnblocked")) return [];
  return [judged(step, step.ladder.taken, "helped", "a person has settled it")];
}

/** An agent that comes to its end after a remedy has been helped by it. */
export function afterSuccess(state: RunState, name: string): RunEvent[] {
  const step = state.steps[name];
  if (step?.ladder?.outcome !== null || step.ladder === null) return [];
  return [judged(step, step.ladder.taken, "helped", "the agent came to its end after it")];
}
