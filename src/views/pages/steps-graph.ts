import type { RunState, StepState } from "../../model/state/run-state.ts";
import { stepView, type StatusStep } from "../status/status-step.ts";

/** A step as a node of a graph: what `status` says of it, and what it needs. */
export interface GraphStep extends StatusStep {
  readonly needs: readonly string[];
  readonly phase: string | null;
  readonly authority: string;
  /** The attempts at work on it now. */
  readonly live: readonly string[];
  /** Null: it need not wait. */
  readonly notBefore: number | null;
  readonly waitsFor: string | null;
  readonly usd: number;
  readonly tokens: number;
}

export interface StepsGraph {
  readonly steps: readonly GraphStep[];
  readonly phases: readonly string[];
  /** How many there are in all; `steps` is bounded. */
  readonly count: number;
}

const STEPS_MAX = 2_000;

export function stepsGraph(state: RunState): StepsGraph {
  const all = Object.values(state.steps);
  const live = Map.groupBy(Object.values(state.attempts), ({ step }) => step);
  return {
    steps: all.slice(0, STEPS_MAX).map((step) =>
      nodeOf(
        state,
        step,
        (live.get(step.spec.name) ?? []).map(({ id }) => id),
      ),
    ),
    phases: state.flow.phases.map(({ name }) => name),
    count: all.length,
  };
}

function nodeOf(state: RunState, step: StepState, live: readonly string[]): GraphStep {
  const { needs, phase, authority } = step.spec;
  return {
    ...stepView(state, step),
    needs,
    phase: phase ?? null,
    authority,
    live,
    notBefore: step.notBefore,
    waitsFor: step.limit,
    usd: step.spent.usd,
    tokens: step.spent.tokens,
  };
}
