import type { RunEvent } from "../../model/events/events.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { whySkipped } from "./conditions.ts";
import { isTreeTaken, mayWorkBeside } from "./authority.ts";
import { baselineFirst, isShowing } from "./baseline-rule.ts";
import { holdOf } from "../resources/shared-resources.ts";
import { beforeStart } from "../workspace/decide-checkpoints.ts";
import { baseFirst } from "../workspace/decide-drift.ts";
import { guardFirst } from "../gate/decide-guard.ts";
import { copyFirst } from "../workspace/decide-proposals.ts";
import { beforeWork } from "../workspace/decide-workspace.ts";
import { attemptId } from "../../model/ids.ts";
import { hooksFirst } from "../../fold/gate/evolve-hook.ts";
import { owesComparison } from "../gate/seal-rule.ts";
import { standsStill } from "../gate/decide-progress.ts";
import { policyAtDispatch } from "../gate/decide-policies.ts";
import { reservationFor } from "../budget/budget-room.ts";
import { budgetSpent, spentKind, stepBudgetSpent, stepSpentKind } from "../budget/run-budget.ts";
import { proposes, worksApart } from "../../fold/workspace/workspace-place.ts";
import { inLine } from "./ready-queue.ts";
import { startAttempt } from "../attempt/start-attempt.ts";

/** So many steps are looked at in one turn that may not begin for a reason of their own, such as a budget. */
const LOOKS_MAX = 256;

/** Starts what may start, up to the run's bound on live attempts; null when there is nothing to start now. */
export function startReadySteps(state: RunState, now: number): RunEvent[] | null {
  let free = state.settings.attempts.atOnce - Object.keys(state.attempts).length;
  if (free <= 0 || isTreeTaken(state)) return null;
  if (owesComparison(state)) return [];
  const events: RunEvent[] = [];
  const starting: StepState[] = [];
  const closed = new Set<string>();
  let looks = 0;
  let held: RunEvent[] | null = null;
  for (const { name, step, lane } of inLine(state, closed)) {
    if (free <= 0 || (looks += 1) > LOOKS_MAX) break;
    const why = whySkipped(state, step);
    if (why !== null) {
      events.push({ type: "StepSkipped", data: { step: name, why } });
      continue;
    }
    if (holdOf(state, step, now) !== null || !mayWorkBeside(state, step, starting)) {
      closed.add(lane);
      continue;
    }
    if ((step.notBefore ?? 0) > now) continue;
    const spent = spentKind(state);
    if (spent !== null) return isBusy(state) ? [] : [budgetSpent(state, spent)];
    const own = stepSpentKind(state, step);
    if (own !== null) {
      held ??= [stepBudgetSpent(state, step, own)];
      continue;
    }
    const reserved = reservationFor(state, step, now);
    if (reserved === null) continue;
    const ruled = policyAtDispatch(state, step);
    if (ruled !== null && "now" in ruled) return events.length > 0 ? events : [...ruled.now];
    if (ruled !== null) {
      held ??= [...ruled.held];
      continue;
    }
    const first = firstOf(state, step, now);
    // What is run in a tree of its own keeps nobody else from beginning.
    if (first?.length === 0 && worksApart(state.settings, step) && isShowing(state, name)) continue;
    if (first !== null) return events.length > 0 ? events : first;
    const idle = standsStill(state, step, now);
    if (idle !== null) return events.length > 0 ? events : idle;
    const subject = attemptId(name, step.started + 1);
    const hooked = hooksFirst(state, { point: "before_dispatch", subject, step: name });
    if (hooked !== null) return events.length > 0 ? events : hooked;
    events.push(...startAttempt(state, step, { reserved, now }));
    starting.push(step);
    if (step.spec.authority === "writes") break;
    free -= 1;
    // The next one is assessed by what this one has set aside.
    if (Object.keys(reserved).length > 0) return events;
  }
  if (events.length > 0) return events;
  return held === null ? null : isBusy(state) ? [] : held;
}

/** Somebody is asked about what is held when nothing else of the run can go on. */
const isBusy = (state: RunState): boolean =>
  Object.keys(state.attempts).length > 0 || Object.keys(state.checking).length > 0;

/** What has to be done before an agent may begin on the step; null where nothing has. */
const firstOf = (state: RunState, step: StepState, now: number): RunEvent[] | null =>
  beforeWork(state, step, now) ??
  baseFirst(state) ??
  guardFirst(state, step.spec.name) ??
  (proposes(step) ? null : baselineFirst(state, step, now)) ??
  beforeStart(state, step, now) ??
  copyFirst(state, step, now) ??
  baselineFirst(state, step, now);
