import type { HealthState, Repeats } from "../../model/agent/health.ts";

export const PERIOD_MAX = 8;

export const noRepeats = (): Repeats => ({ keys: [], runs: new Array<number>(PERIOD_MAX).fill(0) });

/** Takes the next key; the cost does not depend on how many came before. */
export function repeat({ keys, runs }: Repeats, key: string): void {
  for (let period = 1; period <= PERIOD_MAX; period += 1)
    runs[period - 1] = keys[keys.length - period] === key ? (runs[period - 1] ?? 0) + 1 : 0;
  keys.push(key);
  if (keys.length > PERIOD_MAX) keys.shift();
}

/** Words from somebody who has not said them before excuse one round of each period. */
export function forgiveRound({ runs }: Repeats): void {
  for (const [index, run] of runs.entries()) runs[index] = Math.max(0, run - index - 1);
}

export interface Cycle {
  readonly period: number;
  readonly rounds: number;
}

/** The shortest cycle that went round often enough, or null. A cycle of one key counts as period one only. */
export function cycleOf(
  { runs }: Repeats,
  roundsMin: (period: number) => number,
  periodMax = PERIOD_MAX,
): Cycle | null {
  const same = runs[0] ?? 0;
  for (let period = 1; period <= periodMax; period += 1) {
    if (period > 1 && same >= period - 1) continue;
    const rounds = Math.floor((runs[period - 1] ?? 0) / period) + 1;
    if (rounds >= roundsMin(period)) return { period, rounds };
  }
  return null;
}

/**
 * The provider's stream broke. What it had brought of an answer is asked for again, and the calls that stood in it come
 * once more: the agent makes them twice, and does not repeat itself. Errors that come again and again are counted as
 * such, so that this excuses no loop for ever.
 */
export function observeRetry(health: HealthState): void {
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
