import type { RunState } from "../../model/state/run-state.ts";

/** Whether an agent works on any of these runs; a person who does a step is none. */
export const areAgentsAtWork = (
  owned: Iterable<{ readonly owner: { readonly state: Readonly<RunState> } | null }>,
): boolean =>
  [...owned].some(({ owner }) =>
    Object.values(owner?.state.attempts ?? {}).some(
      ({ agent }) => owner?.state.agents[agent]?.use !== "manual",
    ),
  );
