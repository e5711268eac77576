import type { RunEvent } from "../../model/events/events.ts";
import { attemptId } from "../../model/ids.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import { isOver } from "../../model/state/step-over.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";

/**
 * A person has done a step's work by hand (G4): it is checked like an agent's, by the step's own checks, reviews and
 * outputs, and the run goes on where they pass. No agent is started for it, no matter what they find.
 */
export function askDoneByHand(
  state: RunState,
  { step: name = "" }: Extract<RunRequest, { kind: "accept" }>,
  by: string,
): Verdict {
  const step = Object.hasOwn(state.steps, name) ? state.steps[name] : undefined;
  if (step === undefined)
    return refusedFor(
      `accept --as-done is refused: the run has no step "${name}"; its steps are ${Object.keys(state.steps).join(", ")}`,
    );
  if (step.live !== null || step.status === "checking")
    return refusedFor(`accept --as-done is refused: "${name}" is at work; pause the run first`, ["paused"]);
  if (isOver(step) && step.status !== "failed")
    return refusedFor(`accept --as-done is refused: "${name}" is ${step.status} already`);
  if (step.needsLeft > 0)
    return refusedFor(
      `accept --as-done is refused: "${name}" waits for ${step.spec.needs.join(", ")}; do those first`,
    );
  const attempt = attemptId(name, step.started + 1);
  const ended = isEnded(state.status);
  const going: RunEvent[] = [
    ...(ended ? [{ type: "RunReopened", data: {} } as const] : []),
    { type: "StepReset", data: { step: name } },
    { type: "StepDoneByHand", data: { step: name, attempt, number: step.started + 1, by } },
    ...(state.status === "blocked" ? [{ type: "RunUnblocked", data: {} } as const] : []),
    ...(ended || state.status === "paused" ? [{ type: "RunResumed", data: {} } as const] : []),
  ];
  return answered(`"${name}" counts as done by ${by} once its checks pass; the run goes on then`, going);
}
