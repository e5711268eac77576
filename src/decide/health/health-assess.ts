import type { HealthName, HealthState, Pattern, Wait } from "../../model/agent/health.ts";
import { isCalm, levelAt, rawAt, rawChanges, waitOf } from "../../fold/health/health-level.ts";
import type { HealthLimits } from "../../fold/health/health-limits.ts";

export interface Assessment {
  readonly state: HealthName;
  readonly pattern: Pattern | null;
  readonly confidence: number;
  readonly evidence: readonly string[];
  readonly wait: Wait | null;
  /** It is called stuck only because it has not been better for long enough. */
  readonly recovers?: boolean;
}

/** What a session's health is at a time. Facts first: death, then a completed pattern, then a known wait, then rates. */
export function assess(health: HealthState, now: number, limits: HealthLimits): Assessment {
  const wait = waitOf(health, now, limits);
  if (health.alive === false && health.exitCode !== 0)
    return {
      state: "crashed",
      pattern: null,
      confidence: 1,
      evidence: [
        health.exitCode === null
          ? "the process is gone and left no exit status"
          : `the process ended with exit code ${String(health.exitCode)}`,
      ],
      wait: null,
    };
  if (health.flag !== null) {
    const { pattern, confidence, evidence } = health.flag;
    return { state: "stuck", pattern, confidence, evidence, wait: null };
  }
  return byTime(health, now, wait, limits);
}

function byTime(health: HealthState, now: number, wait: Wait | null, limits: HealthLimits): Assessment {
  if (isCalm(health, now, limits)) return calm(health, now, wait, limits);
  const raw = rawAt(health, now, limits);
  const { shown } = levelAt(health, now, limits);
  const evidence = raw.level > 0 ? [raw.why] : [];
  if (shown === 2)
    return {
      state: "stuck",
      pattern: raw.level === 0 ? "no_progress" : raw.pattern,
      confidence: 0.8,
      evidence: raw.level === 0 ? ["it is better, but not yet for long enough"] : evidence,
      wait: null,
      recovers: raw.level < shown,
    };
  if (wait !== null && isElsewhere(wait))
    return { state: "waiting", pattern: null, confidence: 0.9, evidence: [waitText(wait)], wait };
  if (shown === 1)
    return {
      state: "degraded",
      pattern: raw.level === 0 ? null : raw.pattern,
      confidence: 0.7,
      evidence: raw.level === 0 ? ["it is better, but not yet for long enough"] : evidence,
      wait,
    };
  return calm(health, now, wait, limits);
}

function calm(health: HealthState, now: number, wait: Wait | null, limits: HealthLimits): Assessment {
  if (wait !== null && isElsewhere(wait))
    return { state: "waiting", pattern: null, confidence: 0.9, evidence: [waitText(wait)], wait };
  if (
    wait !== null &&
    limits.timed &&
    now - wait.since >= limits.tickMs &&
    now - health.voiceAt >= limits.tickMs
  )
    return { state: "waiting", pattern: null, confidence: 0.8, evidence: [waitText(wait)], wait };
  return { state: "healthy", pattern: null, confidence: 0.9, evidence: healthyEvidence(health), wait };
}

/** The next move is not the agent's. */
const isElsewhere = (wait: Wait): boolean =>
  wait.for === "limit" || wait.for === "permission" || wait.for === "person" || wait.for === "extension";

const waitText = (wait: Wait): string => `waits for ${WAIT_WORDS[wait.for]}: ${wait.what}`;

const WAIT_WORDS: Readonly<Record<Wait["for"], string>> = {
  person: "a person",
  permission: "a permission",
  limit: "the provider's limit to end",
  extension: "the time it asked for",
  tool: "a tool",
  model: "the model",
};

function healthyEvidence({ outcomes }: HealthState): string[] {
  let fresh = 0;
  for (let at = 0; at < outcomes.length; at += 1) if (outcomes[at] === "n") fresh += 1;
  return fresh === 0
    ? []
    : [`${String(fresh)} of the last ${String(outcomes.length)} calls brought something new`];
}

/** The next instant at which time alone could change the assessment; null for never. */
export function assessAgainAt(health: HealthState, now: number, limits: HealthLimits): number | null {
  if (!limits.timed) return null;
  const times = rawChanges(health, now, limits);
  const { shown, worseSince, betterSince } = levelAt(health, now, limits);
  if (worseSince !== null)
    times.push(worseSince + limits.tickMs * (shown === 0 ? limits.badTicks : limits.stuckTicks));
  if (betterSince !== null)
    times.push(betterSince + limits.tickMs * (shown === 2 ? limits.calmTicks : limits.goodTicks));
  const wait = waitOf(health, now, limits);
  if (wait?.until !== null && wait !== null) times.push(wait.until);
  const ahead = times.filter((time) => time > now);
  return ahead.length === 0 ? null : Math.min(...ahead);
}
