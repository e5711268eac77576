import { limitsOf } from "../../fold/health/restart-silence.ts";
import type { Assessed } from "../../model/agent/health.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { climb, climbDeadline } from "../ladder/climb.ts";
import { accountHold } from "../resources/shared-resources.ts";
import { assess, assessAgainAt, type Assessment } from "./health-assess.ts";
import { publishTrouble } from "../resources/decide-shared-resources.ts";
import { followLimit, staysLimited } from "../budget/limits.ts";

/** Says when what is thought of a live attempt changed. A tool or a model at work is no news. */
export function decideHealth(state: RunState, attempt: AttemptState, now: number): RunEvent[] {
  if (!isAssessed(state, attempt)) return [];
  const found = assess(attempt.health, now, limitsOf(state, attempt));
  const assessed = assessedAs(found, now);
  if (isSame(attempt.assessed, assessed))
    // The one that is getting better is left to it.
    return found.recovers === true || accountHold(state, attempt, now) !== null
      ? []
      : climb(state, attempt, now);
  if (staysLimited(state, attempt, assessed, now)) return [];
  const { state: name, pattern, evidence, confidence, waitsFor, until } = assessed;
  return [
    {
      type: "HealthChanged",
      data: {
        attempt: attempt.id,
        state: name,
        pattern,
        confidence,
        evidence: [...evidence],
        waitsFor,
        until,
      },
    },
    ...followLimit(state, attempt, assessed),
    ...publishTrouble(state, attempt, assessed),
  ];
}

/** When time alone could change it; null for never. */
export function healthDeadline(state: RunState, attempt: AttemptState, now: number): number | null {
  if (!isAssessed(state, attempt)) return null;
  const again = assessAgainAt(attempt.health, now, limitsOf(state, attempt)) ?? Infinity;
  const hold = accountHold(state, attempt, now) ?? now;
  const due = Math.max(climbDeadline(state, attempt, now) ?? Infinity, hold);
  const held = attempt.assessed.waitsFor === "limit" ? hold : now;
  const first = Math.min(again, due > now ? due : Infinity, held > now ? held : Infinity);
  return first === Infinity ? null : first;
}

/**
 * While the run waits for somebody, and before an agent said anything or after its last word, other rules decide. A
 * claim is the last word until it speaks again.
 */
const isAssessed = (state: RunState, attempt: AttemptState): boolean =>
  state.status === "running" &&
  attempt.ending === null &&
  attempt.exit === null &&
  (attempt.claim === null || !attempt.health.ended) &&
  attempt.lastSignalAt !== null &&
  Object.keys(attempt.permissions).length === 0;

function assessedAs({ state, pattern, evidence, confidence, wait }: Assessment, since: number): Assessed {
  const atWork = wait?.for === "tool" || wait?.for === "model";
  const name = state === "waiting" && atWork ? "healthy" : state;
  const isWaiting = name === "waiting";
  return {
    state: name,
    pattern: name === "healthy" ? null : pattern,
    evidence: name === "healthy" ? [] : evidence,
    confidence,
    waitsFor: isWaiting ? (wait?.for ?? null) : null,
    until: isWaiting ? (wait?.until ?? null) : null,
    since,
  };
}

const isSame = (one: Assessed, other: Assessed): boolean =>
  one.state === other.state &&
  one.pattern === other.pattern &&
  (one.state !== "stuck" || one.confidence === other.confidence) &&
  one.waitsFor === other.waitsFor &&
  // Another question is news, although it is a person again who is waited for.
  (one.waitsFor !== "person" || one.evidence[0] === other.evidence[0]) &&
  one.until === other.until;
