import type { RunState } from "../../model/state/run-state.ts";
import type { JoinSnapshot } from "../../model/state/workspace-state.ts";

/** Those that nothing is counted from, of joins that are over. */
export const releasableJoins = (
  { workspace, effects }: RunState,
  bases: readonly (string | null | undefined)[],
): JoinSnapshot[] =>
  workspace.joins.filter(
    ({ of, snapshot }) => !Object.hasOwn(effects, of) && (snapshot === null || !bases.includes(snapshot)),
  );
