import { effectKey } from "../../model/effects/effects.ts";
import type { DelayedEffect } from "../../model/host/host-fault.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";

/** Whether the host keeps the agent of an attempt from being started: then its time does not run. */
export const isStartDelayed = ({ delayed }: RunState, { id }: AttemptState): boolean =>
  delayed?.[effectKey(id, "StartAgent")] !== undefined;

export const delayedEffects = ({ delayed }: RunState): DelayedEffect[] => Object.values(delayed ?? {});
