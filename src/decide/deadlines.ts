import type { RunState } from "../model/run-state.ts";
import { firstOutputBy, limitAt, wakesByItself } from "./decide.ts";
import { channelsOf, reminderAt } from "./judge-escalations.ts";
import { LAST_WORDS_MS } from "./judge-attempt.ts";

/**
 * The next instant after `now` at which time alone would change the judgement; null for never.
 * Derived, never stored (I5). Instants that have passed were judged already and are left out.
 */
export function nextDeadline(state: RunState, now: number): number | null {
  if (wakesByItself(state)) return now + 1;
  const times: number[] = [];
  for (const attempt of Object.values(state.attempts)) {
    if (attempt.endedAt !== null) times.push(attempt.endedAt + LAST_WORDS_MS);
    if (attempt.ending !== null) continue;
    if (state.blocked === null) times.push(limitAt(state, attempt));
    if (attempt.started && attempt.heardAt === null) times.push(firstOutputBy(state, attempt));
  }
  if (state.status === "running")
    for (const name in state.ready) {
      const notBefore = state.steps[name]?.notBefore ?? null;
      if (notBefore !== null) times.push(notBefore);
    }
  for (const { notBefore, lastFailure } of Object.values(state.notices))
    if (lastFailure === null) times.push(notBefore);
  if (channelsOf(state).length > 0)
    for (const escalation of Object.values(state.escalations)) times.push(reminderAt(state, escalation));
  const future = times.filter((time) => time > now);
  return future.length === 0 ? null : future.reduce((earliest, time) => Math.min(earliest, time));
}
