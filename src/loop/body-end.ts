import { cancelledChildren } from "../decide/body-tree.ts";
import { recordOfScope } from "../model/body-key.ts";
import type { EventData, RunEvent } from "../model/events.ts";
import type { RunState } from "../model/run-state.ts";
import { cancelledFault, recordedError, restoredError } from "./body-error.ts";
import type { BodyLife } from "./body-life.ts";

/** The recorded end of a run, or null while it has none. */
export function endedResult(id: string, state: RunState | null): { value: unknown } | null {
  if (state?.status === "completed") return { value: state.result };
  if (state?.status === "cancelled") throw cancelledFault(id);
  if (state?.status === "failed")
    throw restoredError({ name: "Error", message: state.failure?.text ?? "it failed" });
  return null;
}

export function failedData(life: BodyLife, error: unknown): EventData<"RunFailed"> {
  const { message } = recordedError(error);
  const step = life.keyOfFailure(error);
  const failure = { class: "terminal", text: message, fingerprint: message.slice(0, 200) } as const;
  return { ...(step === undefined ? {} : { step }), failure };
}

/** The step a run failed of, and every child around it that failed with it. */
function failedKeys({ failedStep }: RunState): string[] {
  if (failedStep === null) return [];
  const parts = failedStep.split("/");
  const around = parts.slice(0, -1).flatMap((part, index) => {
    const record = recordOfScope(part);
    return record.startsWith("spawn:") ? [[...parts.slice(0, index), record].join("/")] : [];
  });
  return [failedStep, ...around];
}

/** Lets an ended run go on: what it failed of, and what was cancelled with it, is done anew. */
export const reopened = (state: RunState, by: string): RunEvent[] => {
  const cancelled = state.body === null ? [] : cancelledChildren(state.body.root);
  const keys = new Set([...failedKeys(state), ...cancelled]);
  return [
    ...[...keys].map((key): RunEvent => ({ type: "BodyStepCleared", data: { key, by } })),
    { type: "RunReopened", data: {} },
    { type: "RunResumed", data: {} },
  ];
};
