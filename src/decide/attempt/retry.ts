import { commandText } from "../../model/text/command-text.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { reboundOf, retriedDrifts } from "../workspace/decide-binding.ts";
import { atWorkOf, replan } from "../dispatch/plan.ts";
import { recoveryArguments } from "../recovery/recovery.ts";
import { pausedAccount } from "../resources/shared-resources.ts";
import { stillInTheWay } from "../dispatch/run-changes.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";

/**
 * New attempts for what failed. Who works it is read again: a person who asks for another try has often mended the
 * configuration, and what was recorded when the run began would fail again.
 */
export function retry(state: RunState, request: Extract<RunRequest, { kind: "retry" }>, by: string): Verdict {
  const name = request.step;
  if (name !== undefined && !Object.hasOwn(state.steps, name))
    return refusedFor(
      `retry is refused: the run has no step "${name}"; its steps are ${Object.keys(state.steps).join(", ")}`,
    );
  const left = stillInTheWay(state);
  if (state.blocked !== null && left !== null)
    return refusedFor(
      `retry is refused: ${left}, so the run would be blocked again at once; expected ${commandText(recoveryArguments(state, state.blocked), null)}`,
    );
  const planner = state.steps[name ?? ""];
  if (planner?.status === "dropped")
    return refusedFor(`retry is refused: the step "${name ?? ""}" was dropped when its plan was made again`);
  const isPlan = planner?.spec.plans !== undefined && planner.status === "succeeded";
  const busy = isPlan ? atWorkOf(state, planner.spec.name) : [];
  if (busy.length > 0)
    return refusedFor(
      `retry is refused: ${busy.join(", ")} of the plan is at work; pause the run first, then plan again`,
      ["paused"],
    );
  const steps = name === undefined ? stepsToRetry(state) : [name];
  const resets = isPlan
    ? replan(state, planner, { why: "A person wants the rest planned again.", by })
    : steps.map((step): RunEvent => ({ type: "StepReset", data: { step } }));
  const ended = state.status === "failed" || state.status === "cancelled";
  const going: RunEvent[] = [
    ...(ended ? [{ type: "RunReopened", data: {} } as const] : []),
    state.status === "blocked" ? { type: "RunUnblocked", data: {} } : { type: "RunResumed", data: {} },
  ];
  const found = request.bindings === undefined ? [] : retriedDrifts(state, request.bindings);
  const rebound = reboundOf(state, Object.keys(state.steps), found);
  const changed = found.map(({ text }) => text);
  const what = [
    continues(state, name ?? state.blocked?.step),
    ...(steps.length === 0 ? [] : [`tried again: ${steps.join(", ")}`]),
    ...(changed.length === 0 ? [] : [`changed in its files, and used from now on: ${changed.join(", ")}`]),
    ...(request.unread === undefined
      ? []
      : [`its files could not be read again (${request.unread}), so nothing of them is changed`]),
  ];
  return answered(what.join("; "), [
    ...(rebound.length === 0 ? [] : [{ type: "StepsRebound", data: { rebound, changed, by } } as const]),
    ...resets,
    ...going,
  ]);
}

/** A limit of a provider is nobody's to end but the provider's: the asker learns how long the run still waits. */
function continues(state: RunState, step: string | undefined): string {
  const account = pausedAccount(state, step);
  const until = account === null ? undefined : state.sharedResources[account]?.news.pause?.until;
  return account === null || until === undefined || until <= state.at
    ? "the run continues"
    : `the run continues as soon as the limit of ${account} is over, at ${isoTime(until)}; if the provider has lifted it already: ${commandText(["unpause", account], null)}`;
}

/** Without a name: what failed, and what is in the middle of its tries or waits for a limit. */
const stepsToRetry = (state: RunState): string[] =>
  Object.entries(state.steps)
    .filter(
      ([, step]) =>
        step.status === "failed" || (step.status === "pending" && step.charged + step.limitWaits > 0),
    )
    .map(([name]) => name);
