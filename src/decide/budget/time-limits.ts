import { durationText } from "../../model/text/duration.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { TimeoutEnd } from "../../model/flow/flow.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { isWorkingClock } from "../../fold/run/run-clock.ts";

/** A time limit of a run or of one of its phases, and how much of it is used. */
export interface TimeLimit {
  readonly phase: string | null;
  readonly usedMs: number;
  readonly limitMs: number;
}

/** Time the run has worked: what it waited for people, or was at rest, is not in it (G10). */
export const runUsedMs = ({ clock }: RunState, now: number): number =>
  clock.usedMs + (clock.since === null ? 0 : Math.max(0, now - clock.since));

export const phaseLimitMs = (state: RunState, phase: string): number | undefined =>
  state.flow.phases.find(({ name }) => name === phase)?.limitMs ?? state.settings.time.phaseMs;

/** The limits that count now: the run's, and those of phases that have begun and are not over. */
export function timeLimits(state: RunState, now: number): TimeLimit[] {
  const usedMs = runUsedMs(state, now);
  const { runMs } = state.settings.time;
  const limits: TimeLimit[] = runMs === undefined ? [] : [{ phase: null, usedMs, limitMs: runMs }];
  for (const [phase, { fromMs, untilMs, over }] of Object.entries(state.phaseClocks)) {
    const limitMs = phaseLimitMs(state, phase);
    // What is only reported is reported once; a limit that was changed since is another one.
    const isReported = over?.then === "go_on" && over.limitMs === limitMs;
    if (limitMs !== undefined && untilMs === null && !isReported)
      limits.push({ phase, usedMs: usedMs - fromMs, limitMs });
  }
  return limits;
}

const reached = (state: RunState, now: number): TimeLimit | undefined =>
  timeLimits(state, now).find(({ usedMs, limitMs }) => usedMs >= limitMs);

/** The limit that keeps a run from going on. */
export const limitInTheWay = (state: RunState): TimeLimit | undefined => reached(state, state.at);

/**
 * A limit that is reached ends the sessions it is about, which costs no attempt: their conversations are kept, and go
 * on once somebody has given more time.
 */
export function decideTimeLimits(state: RunState, now: number): RunEvent[] {
  if (state.status !== "running") return [];
  const limit = reached(state, now);
  if (limit === undefined) return [];
  const { phase, limitMs } = limit;
  const whose = phase === null ? "the run" : `the phase "${phase}"`;
  const detail = `${whose} has worked for ${durationText(limitMs)}, which is its time limit`;
  const then = phase === null ? "ask" : onTimeout(state, phase);
  const timedOut: RunEvent[] =
    phase === null || then === "ask" ? [] : [{ type: "PhaseTimedOut", data: { ...limit, phase, then } }];
  if (then === "go_on") return timedOut;
  if (then === "cancel")
    return [...timedOut, { type: "RunStopping", data: { to: "cancelled", stop: "timeout" } }];
  const ending = Object.values(state.attempts).filter(
    (attempt) => attempt.ending === null && isOf(state, attempt, phase),
  );
  const owner = then === "escalate" ? ({ owner: "operator" } as const) : {};
  return [
    ...timedOut,
    {
      type: "RunBlocked",
      data: { blocked: { reason: "timeout", detail, attemptKept: false, guidance: [], ...owner } },
    },
    ...ending.map((attempt): RunEvent => ({
      type: "AttemptEnding",
      data: { attempt: attempt.id, to: "run_limit", why: detail },
    })),
  ];
}

const onTimeout = ({ flow }: RunState, phase: string): TimeoutEnd =>
  flow.phases.find(({ name }) => name === phase)?.onTimeout ?? "ask";

const isOf = (state: RunState, { step }: AttemptState, phase: string | null): boolean =>
  phase === null || state.steps[step]?.spec.phase === phase;

/** When the next of these limits will be reached if the run goes on working. */
export function timeLimitDueAt(state: RunState, now: number): number {
  if (!isWorkingClock(state)) return Infinity;
  return Math.min(Infinity, ...timeLimits(state, now).map(({ usedMs, limitMs }) => now + limitMs - usedMs));
}

/** A limit that is raised by less would be reached again before an agent has begun. */
const MORE_MS_MIN = 5 * 60_000;

/** The words that give twice the time of every limit that is reached, or of the attempts of a step that had too little. */
export function enoughTime(state: RunState, step?: string): string[] {
  const over = timeLimits(state, state.at).filter(({ usedMs, limitMs }) => usedMs >= limitMs);
  if (over.length > 0)
    return over.map(({ phase, limitMs, usedMs }) => {
      const more = moreThan(Math.max(limitMs, usedMs));
      return phase === null ? `limits.run=${more}` : `phase.${phase}.limit=${more}`;
    });
  const limitMs = state.steps[step ?? ""]?.spec.limitMs ?? state.settings.attempts.limitMs;
  const isOfAttempts = step !== undefined && Object.hasOwn(state.steps, step);
  return isOfAttempts && limitMs > 0 ? [`step.${step}.limit=${moreThan(limitMs)}`] : [];
}

const moreThan = (ms: number): string => durationText(Math.max(ms * 2, ms + MORE_MS_MIN));
