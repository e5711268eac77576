import { isTreeTaken } from "./authority.ts";
import type { RunState } from "../model/run-state.ts";
import { wakesByItself } from "./decide.ts";
import { firstOutputBy, limitAt } from "./live-attempt.ts";
import { unansweredAt } from "./climb.ts";
import { holdOf } from "./grounds.ts";
import { alarmDueAt } from "./judge-alarms.ts";
import { channelsOf, reminderAt } from "./judge-escalations.ts";
import { expiresAt } from "./judge-gates.ts";
import { LAST_WORDS_MS } from "./judge-attempt.ts";
import { nextBindingLook } from "./judge-binding.ts";
import { reviewsSuspendedAt } from "./judge-checks.ts";
import { nextCheckpoint } from "./judge-checkpoints.ts";
import { nextLook } from "./judge-drift.ts";
import { nextCommit } from "./judge-commit.ts";
import { nextGuard } from "./judge-guard.ts";
import { healthDeadline } from "./judge-health.ts";
import { nextOverlapLook } from "./judge-overlap.ts";
import { isBeingSent } from "./judge-notices.ts";
import { brakeDueAt } from "./budget-brake.ts";
import { budgetDueAt } from "./run-budget.ts";
import { firstInLine, inLine, isLaneOfWaiting } from "./ready-queue.ts";
import { storeDueAt } from "./store-rule.ts";
import { timeLimitDueAt } from "./time-limits.ts";
import { staleResumeAt } from "./judge-stale.ts";
import { isLiveWait, suspendAt } from "./suspend.ts";

/** So many of those that wait out a time of their own are looked at. */
const LOOKS_MAX = 256;

function considerReady(state: RunState, now: number, consider: (time: number) => void): void {
  const fresh = Object.keys(state.ready.lanes).filter((lane) => !isLaneOfWaiting(lane));
  for (const step of firstInLine(state)) consider(holdOf(state, step, now)?.until ?? now);
  let looks = 0;
  for (const { step } of inLine(state, new Set(fresh))) {
    if ((looks += 1) > LOOKS_MAX) return;
    consider(Math.max(step.notBefore ?? now, holdOf(state, step, now)?.until ?? now));
  }
}

/**
 * The next instant after `now` at which time alone would change the judgement; null for never.
 * Derived, never stored (I5). Instants that have passed were judged already and are left out.
 */
export function nextDeadline(state: RunState, now: number): number | null {
  if (wakesByItself(state)) return now + 1;
  let earliest = Infinity;
  const consider = (time: number): void => {
    if (time > now && time < earliest) earliest = time;
  };
  for (const attempt of Object.values(state.attempts)) {
    if (attempt.endedAt !== null) consider(attempt.endedAt + LAST_WORDS_MS);
    if (attempt.ending !== null) continue;
    if (!isLiveWait(state, attempt)) consider(limitAt(state, attempt));
    consider(suspendAt(state, attempt) ?? now);
    if (attempt.started && attempt.heardAt === null) consider(firstOutputBy(state, attempt));
    consider(healthDeadline(state, attempt, now) ?? now);
  }
  consider(reviewsSuspendedAt(state));
  consider(budgetDueAt(state, now));
  consider(brakeDueAt(state, now));
  consider(storeDueAt(state, now));
  consider(timeLimitDueAt(state, now));
  consider(unansweredAt(state) ?? now);
  consider(staleResumeAt(state) ?? now);
  consider(Math.max(expiresAt(state), now + 1));
  consider(nextGuard(state));
  consider(nextLook(state));
  consider(nextOverlapLook(state));
  consider(nextBindingLook(state));
  consider(nextCheckpoint(state));
  consider(nextCommit(state));
  if (state.status === "running" && !isTreeTaken(state)) considerReady(state, now, consider);
  // One that is due and not under way was queued by somebody who does not send: whoever comes next does.
  for (const { notice, notBefore } of Object.values(state.notices))
    if (!isBeingSent(state, notice.id)) consider(Math.max(notBefore, now + 1));
  consider(Math.max(alarmDueAt(state), now + 1));
  if (channelsOf(state).length > 0)
    for (const escalation of Object.values(state.escalations)) consider(reminderAt(state, escalation));
  return earliest === Infinity ? null : earliest;
}
