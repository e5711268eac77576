import type { RunEvent } from "../model/events.ts";
import type { RunState } from "../model/run-state.ts";
import { isEnded } from "../model/run-status.ts";
import { answerRequest } from "./answer-request.ts";
import { judgeAuthority, owesPutBack } from "./authority.ts";
import { budgetRule } from "./budget-brake.ts";
import { unansweredAt, judgeLadder } from "./climb.ts";
import { alarmDueAt, dropAlarms, judgeAlarms } from "./judge-alarms.ts";
import { judgeBinding } from "./judge-binding.ts";
import { judgeCheckpoints } from "./judge-checkpoints.ts";
import { judgeChecks, suspendReviews } from "./judge-checks.ts";
import { stopWithoutContext } from "./context-rule.ts";
import { judgeDrift } from "./judge-drift.ts";
import { judgeEscalations } from "./judge-escalations.ts";
import { expiresAt, judgeExpiry, judgeGates } from "./judge-gates.ts";
import { judgeGrounds } from "./judge-grounds.ts";
import { judgeGuards } from "./judge-guard.ts";
import { judgeOverlap } from "./judge-overlap.ts";
import { dropSettled, isTellingDue, judgeNotices } from "./judge-notices.ts";
import { resumeStale, staleResumeAt } from "./judge-stale.ts";
import { judgeWorkspace } from "./judge-workspace.ts";
import { judgeLiveAttempt } from "./live-attempt.ts";
import { judgeProgress } from "./judge-progress.ts";
import { judgeSeals } from "./seal-rule.ts";
import { judgeHooks } from "./judge-hooks.ts";
import { judgePolicies } from "./judge-policies.ts";
import { effectsToPerform, quarantineRule } from "./quarantine.ts";
import { judgeTimeLimits } from "./time-limits.ts";
import { settleRun, settleStop } from "./settle-run.ts";
import { startReadySteps } from "./start-steps.ts";
import { trustRule } from "./trust-rule.ts";
import { isStoreStopped } from "./store-hold.ts";
import { storeRule } from "./store-rule.ts";
import { WAKING_STOPS } from "./state-table.ts";
import { askerGone, isPersonsWork, keepUntold } from "./talk-to-agent.ts";

/** What is looked at before the attempts and the steps, in this order. */
const JUDGES = [
  quarantineRule,
  storeRule,
  stopWithoutContext,
  judgeLadder,
  judgeNotices,
  judgeAuthority,
  judgeWorkspace,
  judgeGrounds,
  judgeGuards,
  trustRule,
  judgeSeals,
  judgeDrift,
  judgeCheckpoints,
  judgeOverlap,
  judgeBinding,
  budgetRule,
  judgeProgress,
  judgeTimeLimits,
  suspendReviews,
  judgePolicies,
  judgeHooks,
] as const;

/**
 * Judgement: what follows from the state at a given time. Level-triggered (I3): it looks at what is, not at what
 * has just happened, and may be asked at any moment. The caller folds the answer and asks again until it is empty.
 */
export function decide(state: RunState, now: number): RunEvent[] {
  // A body is judged by the program that holds it.
  if (state.body !== null) return [];
  // Before the next request: it must not find the question of a block that the last one settled.
  const asked = judgeEscalations(state, now);
  if (asked.length > 0) return asked;
  const request = state.requests[0];
  if (request !== undefined) return answerRequest(state, request);
  const untold = keepUntold(state);
  if (untold.length > 0) return untold;
  const rung = judgeAlarms(state, now);
  if (rung.length > 0) return rung;
  for (const judge of JUDGES) {
    const events = judge(state, now);
    if (events.length > 0) return events;
  }
  for (const attempt of Object.values(state.attempts)) {
    const events = judgeLiveAttempt(state, attempt, now);
    if (events.length > 0) return events;
  }
  switch (state.status) {
    case "queued":
      return [{ type: "RunStarted", data: {} }];
    case "running":
      return workOn(state, now);
    case "pausing":
      return owesPutBack(state) ? [] : settleStop(state);
    case "paused":
      return wakesByItself(state) && state.epoch > state.pausedInEpoch
        ? [{ type: "RunResumed", data: {} }]
        : resumeStale(state, now);
    case "awaiting_approval": {
      const gone = askerGone(state);
      return gone.length > 0 ? gone : judgeExpiry(state, now);
    }
    case "blocked":
    case "completed":
    case "failed":
    case "cancelled":
      return [];
  }
}

/** The part that somebody may decide who does not watch the run: answers, and a stop that waits for nothing. */
export function decideRequests(state: RunState, now: number): RunEvent[] {
  // Before the next request: it must not find the question of a block that the last one settled.
  const asked = judgeEscalations(state, now);
  if (asked.length > 0) return asked;
  const request = state.requests[0];
  if (request !== undefined) return answerRequest(state, request);
  const settled = [...dropSettled(state), ...dropAlarms(state)];
  if (settled.length > 0) return settled;
  return state.status === "pausing" ? settleStop(state) : [];
}

function workOn(state: RunState, now: number): RunEvent[] {
  if (isStoreStopped(state)) return [];
  const checked = judgeChecks(state, now);
  if (checked.length > 0) return checked;
  const gated = judgeGates(state, now);
  if (gated.length > 0) return gated;
  return startReadySteps(state, now) ?? settleRun(state, now);
}

/** Stops that were not meant for the run end with the next owner (G2). */
export const wakesByItself = (state: RunState): boolean =>
  state.status === "paused" && state.stop !== null && WAKING_STOPS.includes(state.stop);

/** True when the owner may let go: nothing lives, nothing is open, and nothing is due. What is due later wakes it. */
export const isAtRest = (state: RunState, now: number): boolean =>
  (isEnded(state.status) ||
    state.status === "paused" ||
    state.status === "blocked" ||
    state.status === "awaiting_approval") &&
  Object.values(state.attempts).every((attempt) => isPersonsWork(state, attempt)) &&
  Object.keys(effectsToPerform(state)).length === 0 &&
  state.requests.length === 0 &&
  state.workspace.commit.wanted === null &&
  state.proposals.wanted === null &&
  !isTellingDue(state, now) &&
  now < (unansweredAt(state) ?? Infinity) &&
  now < (staleResumeAt(state) ?? Infinity) &&
  now < expiresAt(state) &&
  now < alarmDueAt(state);
