import { evolve } from "../../fold/evolve.ts";
import type { Recorded } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** Where a run came to, in terms that outlive changes of the fold's own fields. */
export interface RunSummary {
  readonly run: string;
  readonly events: number;
  readonly goal: string;
  readonly status: string;
  readonly stop: string | null;
  readonly blocked: string | null;
  readonly result: unknown;
  readonly failure: string | null;
  readonly steps: readonly StepSummary[];
}

export interface StepSummary {
  readonly step: string;
  readonly status: string;
  readonly attempts: number;
  readonly result: unknown;
  readonly lastFailure: string | null;
}

/** One event onto the state before it, by the code of today; null stands for a run not yet created. */
export const foldEvent = (state: RunState | null, event: Recorded): RunState => evolve(state, event, event);

export const runSummary = (state: RunState): RunSummary => ({
  run: state.run,
  events: state.seq,
  goal: state.goal,
  status: state.status,
  stop: state.stop,
  blocked: state.blocked?.reason ?? null,
  result: state.result,
  failure: state.failure?.text ?? null,
  steps: Object.values(state.steps).map((step) => ({
    step: step.spec.name,
    status: step.status,
    attempts: step.started,
    result: step.result,
    lastFailure: step.lastFailure?.text ?? null,
  })),
});
