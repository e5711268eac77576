import { hooksFirst } from "../../fold/gate/evolve-hook.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";

/** Hooks that are called after something: what happened has happened, and the run waits for them before it ends. */
export function decideHooks(state: RunState): RunEvent[] {
  for (const occasion of state.rules.owed) {
    const events = hooksFirst(state, occasion);
    if (events !== null && events.length > 0) return events;
  }
  return decideDoubts(state);
}

export const owesHooks = (state: RunState): boolean =>
  state.rules.owed.some((occasion) => hooksFirst(state, occasion) !== null);

/** Begun by an owner that is gone, and not declared to bear a second call: whether it was done nobody knows (I2). */
function decideDoubts(state: RunState): RunEvent[] {
  return state.rules.doubted.flatMap((key): RunEvent[] => {
    const effect = state.effects[key];
    if (effect?.kind !== "RunHook" || effect.hook.idempotent) return [];
    const text = "it was begun by a supervisor that is gone; whether it was done is not known";
    return [{ type: "EffectSettled", data: { key, outcome: { kind: "in_doubt", text } } }];
  });
}
