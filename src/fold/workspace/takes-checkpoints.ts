import type { RunState } from "../../model/state/run-state.ts";
import { commitsSteps } from "./workspace-place.ts";

/** What is committed is what changed since a checkpoint: without one nothing could be. */
export const takesCheckpoints = (state: RunState): boolean =>
  state.settings.checkpoints.when === "always" ||
  commitsSteps(state) ||
  state.settings.workspace.isolation === "attempt";
