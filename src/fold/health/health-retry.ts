import type { HealthState } from "../../model/agent/health.ts";
import { noRepeats } from "./health-repeats.ts";

/**
 * The provider's stream broke. What it had brought of an answer is asked for again, and the calls that stood in it come
 * once more: the agent makes them twice, and does not repeat itself. Errors that come again and again are counted as
 * such, so that this excuses no loop for ever.
 */
export function hearRetry(health: HealthState): void {
  health.replay = [...health.exact.keys];
  if (health.resultsSeen > 0) return;
  health.calls = noRepeats();
  health.open = [];
}

/** Whether a step is one that the broken stream had brought already, in the same order. */
export function isReplayed(health: HealthState, key: string): boolean {
  const { replay } = health;
  if (replay.length === 0) return false;
  const at = replay.indexOf(key);
  health.replay = at === -1 ? [] : replay.slice(at + 1);
  return at !== -1;
}
