import type { RunState, StepState } from "../../model/state/run-state.ts";

export const writes = (step: StepState | undefined): boolean => step?.spec.authority === "writes";

/** Whether its work is a patch, made in a copy. A plan is no patch: it is delivered, and put back like a reader's work. */
export const proposes = ({ spec }: StepState): boolean =>
  spec.authority === "proposes" && spec.plans === undefined;

/** Whether it writes in a worktree of its own, beside the run's. */
export const worksApart = ({ workspace }: RunState["settings"], step: StepState): boolean =>
  workspace.isolation === "attempt" && writes(step);
