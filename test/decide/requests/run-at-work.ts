import { evolve } from "../../../src/fold/evolve.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import type { EventData, EventType, RunEvent } from "../../../src/model/events/events.ts";
import type { AgentSpec } from "../../../src/model/flow/flow.ts";
import type { RunState } from "../../../src/model/state/run-state.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { EXAMPLES } from "../../model/example-events.ts";

export const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

/** A run of one step whose agent was started at one second past. */
export function atWork(dev: AgentSpec, settings = EXAMPLES.RunCreated.settings): RunState {
  const data = { ...EXAMPLES.RunCreated, agents: { dev }, settings };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [], 1_000);
  takeTurn(state, [settled("work#1/StartAgent")], 1_000);
  return state;
}

export const settled = (key: string): RunEvent => ({
  type: "EffectSettled",
  data: { key, outcome: { kind: "done" } },
});

export const received = (attempt: string, ...signals: Signal[]): RunEvent => ({
  type: "SignalsHeard",
  data: { attempt, cursor: "1", signals },
});
