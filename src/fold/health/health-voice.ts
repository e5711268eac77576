import type { Flag, HealthState, Pattern } from "../../model/agent/health.ts";
import type { LimitSeen } from "../../model/agent/observed.ts";

/** What every kind of observation does to what is remembered of a session. */

export const flag = (pattern: Pattern, at: number, confidence: number, ...evidence: string[]): Flag => ({
  pattern,
  at,
  confidence,
  evidence,
});

/** The first completed pattern stands until it is cleared; the same one again is not told twice. */
export function raise(health: HealthState, next: Flag | null): void {
  if (next !== null && (health.flag === null || health.flag.pattern !== next.pattern)) health.flag = next;
}

/** Anything said by the agent ends a wait for the provider, and is an answer of its model. */
export function voice(health: HealthState, at: number): void {
  health.voiceAt = at;
  health.limit = null;
  if (health.turnSince !== null) health.turnSince = at;
}

export function meetLimit(health: HealthState, limit: LimitSeen, at: number): void {
  health.limit = { since: at, ...limit };
  health.pace.from = null;
  health.lastLimit = {
    until: limit.until,
    text: limit.text,
    ...(limit.named === true ? { named: true } : {}),
  };
}
