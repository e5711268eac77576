import type { RunState } from "../../model/state/run-state.ts";

/** What the last steps of the flow returned, or the value itself where there is only one step. */
export function resultOf(state: RunState): unknown {
  const names = Object.keys(state.steps);
  const last = names.filter((name) => (state.dependents[name] ?? []).length === 0);
  const [only] = last;
  if (names.length === 1 && only !== undefined) return state.steps[only]?.result ?? null;
  return Object.fromEntries(last.map((name) => [name, state.steps[name]?.result ?? null]));
}
