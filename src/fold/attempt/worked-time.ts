import type { SpentKind } from "../../model/requests/budget.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { isLiveWait } from "./live-wait.ts";

/** Time at work: what an idle agent waited for a person is not counted (G10). */
export function workedMs(state: RunState, attempt: AttemptState, now: number): number {
  const { startedAt, waitedMs } = attempt;
  const until = isLiveWait(state, attempt) ? Math.min(now, Math.max(state.blockedAt, startedAt)) : now;
  return Math.max(0, until - startedAt - waitedMs);
}

export const pressKey = (kind: SpentKind, step?: string): string =>
  step === undefined ? kind : `${step}/${kind}`;
