import type { Condition } from "../../model/flow/flow-parts.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

export const mentions = (when: StepState["spec"]["when"], name: string, end: "failed" | "skipped"): boolean =>
  (when ?? []).some(({ step, status, verdict }) => step === name && endMeant(status, verdict) === end);

const endMeant = (status: Condition["status"], verdict: Condition["verdict"]): string | undefined =>
  verdict === "fail" ? "failed" : status;

/** Whether some step is there for the case that this one fails: then its failure is no reason to stop the run. */
export const isHandled = (state: RunState, name: string): boolean =>
  (state.dependents[name] ?? []).some((dependent) =>
    mentions(state.steps[dependent]?.spec.when, name, "failed"),
  );
