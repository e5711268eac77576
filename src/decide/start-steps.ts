import type { RunEvent } from "../model/events.ts";
import type { RunState, StepState } from "../model/run-state.ts";
import { whySkipped } from "./conditions.ts";
import { mayWorkBeside } from "./authority.ts";
import { holdOf } from "./grounds.ts";
import { beforeStart } from "./judge-checkpoints.ts";
import { baseFirst } from "./judge-drift.ts";
import { guardFirst } from "./judge-guard.ts";
import { beforeWork } from "./judge-workspace.ts";
import { budgetSpent, spentKind } from "./run-budget.ts";
import { startAttempt } from "./start-attempt.ts";

/** Steps that wait for others in their tree are looked past so often: with thousands of them it is not for ever. */
const QUEUED_MAX = 32;

/** Starts what may start, up to the run's bound on live attempts; null when there is nothing to start now. */
export function startReadySteps(state: RunState, now: number): RunEvent[] | null {
  let free = state.settings.attempts.atOnce - Object.keys(state.attempts).length;
  const events: RunEvent[] = [];
  const starting: StepState[] = [];
  let queued = 0;
  for (const name in state.ready) {
    if (free <= 0) break;
    const step = state.steps[name];
    const why = step === undefined ? null : whySkipped(state, step);
    if (why !== null) {
      events.push({ type: "StepSkipped", data: { step: name, why } });
      continue;
    }
    if (step === undefined || (step.notBefore ?? 0) > now || holdOf(state, step, now) !== null) continue;
    if (!mayWorkBeside(state, step, starting)) {
      if ((queued += 1) >= QUEUED_MAX) break;
      continue;
    }
    const spent = spentKind(state);
    if (spent !== null) return Object.keys(state.attempts).length > 0 ? [] : [budgetSpent(state, spent)];
    const first = beforeWork(state) ?? baseFirst(state) ?? guardFirst(state) ?? beforeStart(state, step, now);
    if (first !== null) return events.length > 0 ? events : first;
    events.push(...startAttempt(state, step));
    starting.push(step);
    free -= 1;
  }
  return events.length > 0 ? events : null;
}
