import type { StepState } from "./run-state.ts";

/** Whether nothing is to be done about a step any more. */
export const isOver = ({ status }: Pick<StepState, "status">): boolean =>
  status === "succeeded" || status === "skipped" || status === "dropped";
