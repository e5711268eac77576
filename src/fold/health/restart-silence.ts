import type { Assessed, HealthState } from "../../model/agent/health.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { healthLimits, type HealthLimits } from "./health-limits.ts";

export function limitsOf(state: RunState, attempt: AttemptState): HealthLimits {
  const limits = healthLimits(state.settings, state.agents[attempt.agent]?.use ?? "manual", attempt);
  // A limit that names no end is waited for less long each time it is met again.
  return attempt.limitsPassed === 0
    ? limits
    : { ...limits, limitWaitMs: Math.round(limits.limitWaitMs / (attempt.limitsPassed + 1)) };
}

export const notAssessed = (since: number): Assessed => ({
  state: "healthy",
  pattern: null,
  evidence: [],
  confidence: 1,
  waitsFor: null,
  until: null,
  since,
});

/** Silence counts from now on: nobody listened, or somebody else was waited for. */
export function restartSilence(health: HealthState, at: number): void {
  health.voiceAt = at;
  if (health.turnSince !== null) health.turnSince = at;
  health.open = health.open.map((call) => ({ ...call, at }));
  // A permission is waited for until its answer was delivered, no matter who watches.
  health.asks = health.asks.filter((ask) => ask.what === "permission");
  health.level = { ...health.level, worseSince: null, betterSince: null, at: Math.max(at, health.level.at) };
}
