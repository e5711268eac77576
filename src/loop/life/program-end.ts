import { cancelledChildren, cleanupSteps, failedIn } from "../../decide/budget/program-tree.ts";
import { insideChild, recordOfScope } from "../../model/values/program-key.ts";
import type { EventData, RunEvent } from "../../model/events/events.ts";
import type { ProgramRun, RunState } from "../../model/state/run-state.ts";
import { cancelledFault } from "./program-error.ts";
import type { ProgramLife } from "./program-life.ts";
import { restoredError, type ErrorClasses } from "../scope/step-error.ts";

/** The recorded end of a run, or null while it has none. */
export function endedResult(
  id: string,
  state: RunState | null,
  errors: ErrorClasses,
): { value: unknown } | null {
  if (state?.status === "completed") return { value: state.result };
  if (state?.status === "cancelled") throw cancelledFault(id);
  if (state?.status === "failed")
    throw restoredError(
      programOf(state)?.failure?.error ?? { name: "Error", message: state.failure?.text ?? "it failed" },
      errors,
    );
  return null;
}

const programOf = (state: RunState): ProgramRun["program"] | null =>
  state.kind === "program" ? state.program : null;

export function failedData(life: ProgramLife, thrown: unknown): EventData<"RunFailed"> {
  const error = life.failures.record(thrown);
  const { message } = error;
  const keys = [...life.failures.keysIn(thrown)];
  const [step] = keys;
  const failure = { class: "terminal", text: message, fingerprint: message.slice(0, 200) } as const;
  return { ...(step === undefined ? {} : { step }), failure, body: { error, keys } };
}

/** Every child around a step or child: it failed with it. */
function around(key: string): string[] {
  const parts = key.split("/");
  return parts.slice(0, -1).flatMap((part, index) => {
    const record = recordOfScope(part);
    return record.startsWith("spawn:") ? [[...parts.slice(0, index), record].join("/")] : [];
  });
}

/**
 * What failed, and is done again: what the error of the run speaks of, with the children around it and what failed
 * inside of them. An error that speaks of none is the workflow function's own word about some of them: then it is all
 * that failed.
 */
function failedKeys({ failedStep, program }: ProgramRun): string[] {
  const failed = failedIn(program.root);
  const named = program.failure?.keys ?? (failedStep === null ? [] : [failedStep]);
  if (named.length === 0) return failed;
  const inside = failed.filter((key) => named.some((child) => insideChild(child)(key)));
  return [...named, ...named.flatMap(around), ...inside];
}

/** Lets an ended run go on: what it failed of, and what was cancelled with it, is done again. */
export const reopened = (state: ProgramRun, by: string): RunEvent[] => {
  const { root } = state.program;
  const keys = new Set([...failedKeys(state), ...cancelledChildren(root), ...cleanupSteps(root)]);
  return [
    ...[...keys].map((key): RunEvent => ({ type: "BodyStepCleared", data: { key, by } })),
    { type: "RunReopened", data: {} },
    { type: "RunResumed", data: {} },
  ];
};
