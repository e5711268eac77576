import type { RunEvent, RunEventOf } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { StepStatus } from "../../model/state/step-status.ts";

/** The run's own clock stands while it is at rest or waits for somebody. */
export const isWorkingClock = ({ status }: RunState): boolean => status === "running";

/** Moves the clocks of the run and its phases with an event that was folded; `at` is when it happened. */
export function moveClocks(state: RunState, event: RunEvent, at: number): void {
  const { clock } = state;
  const works = isWorkingClock(state);
  if (works && clock.since === null) clock.since = at;
  if (!works && clock.since !== null) {
    clock.usedMs += Math.max(0, at - clock.since);
    clock.since = null;
  }
  if (
    event.type === "AttemptStarted" ||
    event.type === "StepSucceeded" ||
    event.type === "StepSkipped" ||
    event.type === "StepReset"
  )
    movePhase(state, event, at);
}

const DONE: readonly StepStatus[] = ["succeeded", "skipped"];

const leftOf = (state: RunState, phase: string): number =>
  Object.values(state.steps).filter(({ spec, status }) => spec.phase === phase && !DONE.includes(status))
    .length;

/** A phase's time begins with its first attempt and ends when its last step is done. */
function movePhase(
  state: RunState,
  { type, data }: RunEventOf<"AttemptStarted" | "StepSucceeded" | "StepSkipped" | "StepReset">,
  at: number,
): void {
  const phase = state.steps[data.step]?.spec.phase;
  if (phase === undefined || state.kind === "program") return;
  const usedMs = state.clock.usedMs + (state.clock.since === null ? 0 : Math.max(0, at - state.clock.since));
  const known = state.phaseClocks[phase];
  const clock = (state.phaseClocks[phase] ??= { fromMs: usedMs, untilMs: null, left: leftOf(state, phase) });
  const isDone = type === "StepSucceeded" || type === "StepSkipped";
  if (isDone && known !== undefined) clock.left -= 1;
  // Rare, and the only other ways in which it changes: opened again, or replanned.
  if (type === "StepReset" || (!isDone && clock.untilMs !== null)) clock.left = leftOf(state, phase);
  if (clock.left === 0) clock.untilMs ??= usedMs;
  else if (clock.untilMs !== null) {
    // Opened again: what passed in between was not its time.
    clock.fromMs += usedMs - clock.untilMs;
    clock.untilMs = null;
  }
}
