import type { TimeoutEnd } from "./flow/flow.ts";

/** The time that a phase has used, by the run's own clock. */
export interface PhaseClock {
  fromMs: number;
  untilMs: number | null;
  /** How many of its steps are not done. */
  left: number;
  /** The limit that was used up, and what followed. */
  over?: { readonly limitMs: number; readonly then: TimeoutEnd };
}
