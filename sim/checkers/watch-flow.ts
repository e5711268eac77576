import type { Condition } from "../../src/model/flow/flow-parts.ts";
import type { RunState } from "../../src/model/state/run-state.ts";
import { stepOfAttempt, type Watcher } from "../world/replay.ts";

/** One that writes is alone in its tree, and begins only when what others changed without authority was put back. */
export function writersAlone(): Watcher {
  const live = new Set<string>();
  let left: string[] = [];
  return {
    see({ event: { type, data, seq }, state }, say) {
      // With trees of their own those that write are in nobody's.
      const isApart = state.settings.workspace.isolation === "attempt";
      const writes = (step: string): boolean => state.steps[step]?.spec.authority === "writes" && !isApart;
      if (type === "AttemptEnded") live.delete(stepOfAttempt(data.attempt));
      if (type === "RestoreDropped" || type === "RunRestored") left = [];
      if (type !== "AttemptStarted") return;
      const beside = [...live].filter((other) => writes(data.step) || writes(other));
      if (beside.length > 0)
        say(`${data.attempt} began at ${String(seq)} in the tree where ${beside.join(", ")} is at work`);
      if (writes(data.step) && left.length > 0)
        say(`${data.attempt} began at ${String(seq)} on what ${left.join(", ")} may have changed`);
      if (!writes(data.step) && state.readSince !== null) left.push(data.step);
      live.add(data.step);
    },
  };
}

/** A step begins only where its conditions hold, and is skipped only where one does not or a step it needs is not done. */
export function conditionsKept(): Watcher {
  return {
    see({ event: { type, data, seq }, state }, say) {
      if (type !== "AttemptStarted" && type !== "StepSkipped") return;
      const spec = state.steps[data.step]?.spec;
      const all = (spec?.when ?? []).every((condition) => isTrue(state, condition));
      const undone = (spec?.needs ?? []).some((need) => state.steps[need]?.status !== "succeeded");
      if (type === "AttemptStarted" && !all)
        say(`${data.attempt} began at ${String(seq)} although its condition does not hold`);
      if (type === "StepSkipped" && all && !undone)
        say(`${data.step} is skipped at ${String(seq)} although nothing keeps it from being done`);
    },
  };
}

function isTrue(state: RunState, { step: name, status, verdict, output, equals }: Condition): boolean {
  const step = state.steps[name];
  if (status !== undefined) return step?.status === status;
  if (verdict === "pass") return step?.status === "succeeded";
  if (verdict === "fail") return step?.status === "failed" && step.lastFailure?.class === "check_failed";
  const artifact = state.artifacts[name]?.find(({ path }) => path === output);
  return artifact?.values?.["/ready"] === equals;
}
