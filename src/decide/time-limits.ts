import { durationText } from "../model/duration.ts";
import type { RunEvent } from "../model/events.ts";
import type { AttemptState, RunState } from "../model/run-state.ts";
import { isWorkingClock } from "./run-clock.ts";

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
  for (const [phase, { fromMs, untilMs }] of Object.entries(state.phaseClocks)) {
    const limitMs = phaseLimitMs(state, phase);
    if (limitMs !== undefined && untilMs === null) limits.push({ phase, usedMs: usedMs - fromMs, limitMs });
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
export function judgeTimeLimits(state: RunState, now: number): RunEvent[] {
  if (state.status !== "running") return [];
  const limit = reached(state, now);
  if (limit === undefined) return [];
  const { phase, limitMs } = limit;
  const whose = phase === null ? "the run" : `the phase "${phase}"`;
  const detail = `${whose} has worked for ${durationText(limitMs)}, which is its time limit`;
  const ending = Object.values(state.attempts).filter(
    (attempt) => attempt.ending === null && isOf(state, attempt, phase),
  );
  return [
    {
      type: "RunBlocked",
      data: { blocked: { reason: "timeout", detail, attemptKept: false, guidance: [] } },
    },
    ...ending.map((attempt): RunEvent => ({
      type: "AttemptEnding",
      data: { attempt: attempt.id, to: "run_limit", why: detail },
    })),
  ];
}

const isOf = (state: RunState, { step }: AttemptState, phase: string | null): boolean =>
  phase === null || state.steps[step]?.spec.phase === phase;

/** When the next of these limits will be reached if the run goes on working. */
export function timeLimitDueAt(state: RunState, now: number): number {
  if (!isWorkingClock(state)) return Infinity;
  return Math.min(Infinity, ...timeLimits(state, now).map(({ usedMs, limitMs }) => now + limitMs - usedMs));
}

/** The words that give twice the time. */
export function enoughTime(state: RunState): string[] {
  const limit = limitInTheWay(state);
  if (limit === undefined) return [];
  const more = durationText(Math.max(limit.limitMs, limit.usedMs) * 2);
  return [limit.phase === null ? `limits.run=${more}` : `phase.${limit.phase}.limit=${more}`];
}
