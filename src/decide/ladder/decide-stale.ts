import type { RunEvent } from "../../model/events/events.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { isOver } from "../../model/state/step-over.ts";
import { jittered } from "../dispatch/jitter.ts";

/**
 * A run of which no provider answered rests as `stale` instead of asking an operator, and is tried again a little
 * later, a bounded number of times (R7): a provider that is away in the night should cost neither a person's sleep nor
 * the run its morning. Lighter remedies go first. Null where an operator has to be asked.
 */
export function staleInstead(state: RunState, { assessed }: AttemptState, now: number): RunEvent[] | null {
  if (assessed.pattern !== "no_progress" || !mayResume(state) || now < quietUntil(state)) return null;
  return [{ type: "RunStopping", data: { to: "paused", stop: "stale" } }];
}

/** When a stale run is tried again; null for a run that is not, or that was tried often enough. */
export function staleResumeAt(state: RunState): number | null {
  const { status, stop, stale } = state;
  if (status !== "paused" || stop !== "stale" || stale.pausedAt === null || !mayResume(state)) return null;
  const { resumeMs } = state.settings.stale;
  // Between half and all of it: runs that went quiet together do not come back together.
  return stale.pausedAt + resumeMs / 2 + jittered(resumeMs / 2, `${state.run} ${String(stale.resumes)}`);
}

export function resumeStale(state: RunState, now: number): RunEvent[] {
  const due = staleResumeAt(state);
  return due !== null && now >= due ? [{ type: "RunResumed", data: { after: "stale" } }] : [];
}

/** Some step that is not done may be tried again. */
function mayResume({ settings, stale, steps }: RunState): boolean {
  if (!settings.stale.pause || stale.resumes >= settings.stale.resumes) return false;
  return Object.values(steps).some(
    ({ status, charged, spec }) =>
      !isOver({ status }) && status !== "failed" && charged < (spec.attemptsMax ?? settings.attempts.perStep),
  );
}

/** Other agents of the run that answer count as well; silence within a step's own limit is no silence. */
function quietUntil(state: RunState): number {
  const { stale, settings, attempts, steps } = state;
  const limits = Object.values(attempts).map(({ step }) => steps[step]?.spec.limitMs);
  const longest = Math.max(
    // Within a step's own limit, the limit itself has the first word.
    ...limits.map((limitMs) => (limitMs === undefined ? 0 : limitMs + settings.stale.beyondLimitMs)),
  );
  const { quietMs, quietApiMs } = settings.stale;
  return stale.activityAt + Math.max(isByApi(state) ? quietApiMs : quietMs, longest);
}

/** Functions call their provider themselves: no program in between may be busy with something else. */
const isByApi = ({ attempts, agents }: RunState): boolean =>
  Object.values(attempts).every(({ agent }) => agents[agent]?.use === "function");
