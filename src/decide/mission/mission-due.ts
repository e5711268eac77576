import type { MissionState } from "../../model/mission/mission-state.ts";
import type { RunStatus } from "../../model/state/run-status.ts";
import { isAccepting } from "./found-work.ts";
import { placesTaken, waitingRuns } from "./launch.ts";

/** When time alone lets a mission do something: what it looks at outside is looked at again. Infinity where it looks at nothing. */
export const missionDueAt = (state: MissionState, now: number): number => (isLooking(state) ? now : Infinity);

/** Whether it continues by itself while no run of it works. */
const isLooking = (state: MissionState): boolean =>
  (isAccepting(state) && state.acceptance?.block === null) ||
  (state.autopilot !== null &&
    state.end === null &&
    state.stop === null &&
    state.pause === null &&
    waitingRuns(state).length === 0);

/** How a mission is listed: by the words of runs, so that it is found like them. */
export function missionStatus(state: MissionState): RunStatus {
  if (state.end !== null) return "completed";
  if (state.stop !== null || state.pause !== null) return "paused";
  return (state.acceptance?.block ?? null) !== null || waitingRuns(state).length > 0 ? "blocked" : "running";
}

/** Whether a supervisor has to stay for it: runs at work have an owner of their own. */
export const isMissionAtWork = (state: MissionState): boolean => isLooking(state) || placesTaken(state) > 0;
