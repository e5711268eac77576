import type { HealthState } from "../../model/agent/health.ts";
import type { HealthLimits } from "./health-limits.ts";
import { flag, raise } from "./health-voice.ts";

/** No step frees so much of a context: an agent that says nothing of it has made its conversation shorter. */
const FREED_PCT = 30;

export const isCondensed = ({ contextPct }: HealthState, usedPct: number): boolean =>
  contextPct !== null && contextPct - usedPct >= FREED_PCT;

/** Takes it that the conversation was made shorter; `usedPct` is what is used since, where that is known. */
export function hearCondensed(
  health: HealthState,
  usedPct: number | null,
  at: number,
  limits: HealthLimits,
): void {
  // What is told next of the size is the same news.
  health.contextPct = usedPct;
  health.condensed += 1;
  // What it reads again it has forgotten.
  health.stale = 0;
  if (health.condensed < limits.condensations) return;
  const times = `${String(health.condensed)} times in a row with no work in between`;
  raise(health, flag("resource_exhaustion", at, 0.9, `the context was condensed ${times}`));
}
