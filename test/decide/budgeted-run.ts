import assert from "node:assert/strict";
import { evolve } from "../../src/fold/evolve.ts";
import { recoveryArguments } from "../../src/decide/recovery/recovery.ts";
import { settingRequests } from "../../src/cli/run/run-settings.ts";
import type { AgentKind } from "../../src/model/agent/kinds/registry.ts";
import type { EventType, RunEvent, EventData } from "../../src/model/events/events.ts";
import { flowSchema } from "../../src/model/flow/flow.ts";
import type { RunRequest } from "../../src/model/requests/requests.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { runSettingsSchema } from "../../src/model/settings/settings.ts";
import { takeTurn } from "../../src/runtime/take-turn.ts";

export const MINUTE = 60_000;

interface Wish {
  readonly steps?: readonly Record<string, unknown>[];
  readonly phases?: readonly Record<string, unknown>[];
  readonly budget?: EventData<"RunCreated">["budget"];
  readonly settings?: Record<string, unknown>;
  readonly use?: AgentKind;
}

/** A run at work at time 0: the first attempts have begun. */
export function begun({
  steps = [{}],
  phases = [],
  budget = {},
  settings = {},
  use = "demo",
}: Wish): RunState {
  const flow = flowSchema.parse({
    name: "f",
    steps: steps.map((step, index) => ({ name: `s${String(index)}`, task: "work", agent: "dev", ...step })),
    phases,
  });
  const data = {
    goal: "g",
    flow,
    agents: { dev: { use } },
    settings: runSettingsSchema.parse(settings),
    budget,
    cwd: "/tmp",
    by: "test",
  };
  const state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
  takeTurn(state, [{ type: "RunClaimed", data: { owner: "o", epoch: 1, from: "nobody" } }], 0);
  return state;
}

export const started = (attempt: string): RunEvent => ({
  type: "EffectSettled",
  data: { key: `${attempt}/StartAgent`, outcome: { kind: "done" } },
});
let requests = 0;
export const asked = (request: RunRequest): RunEvent => ({
  type: "RequestHeard",
  data: { requestId: `r${String((requests += 1))}`, request, by: "ada" },
});
export const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.flatMap((event) => (event.type === type ? [event.data as EventData<Type>] : []));
export const answerOf = (events: readonly RunEvent[]): string =>
  only(events, "RequestAnswered")[0]?.answer.text ?? "";

/** Does what the block says, word for word. */
export function followAdvice(state: RunState, at: number): RunEvent[] {
  assert.ok(state.blocked !== null);
  const [verb, , ...words] = recoveryArguments(state, state.blocked);
  assert.equal(verb, "set");
  return takeTurn(state, settingRequests(words).map(asked), at);
}
