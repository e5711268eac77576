import { NO_FIRST_OUTPUT, TIMED_OUT } from "../attempt/decide-attempt.ts";
import { owesPutBack } from "./authority.ts";
import { replanAfter } from "./plan.ts";
import { dropChecks } from "../gate/decide-checks.ts";
import { beforeCompletion, isGateShut } from "../gate/decide-gates.ts";
import { owesHooks } from "../gate/decide-hooks.ts";
import { beforeReality } from "../gate/decide-reality.ts";
import { dropTriage } from "../ladder/decide-triage.ts";
import { beforeEnd } from "../workspace/decide-checkpoints.ts";
import { owesCommit } from "../workspace/decide-commit.ts";
import { askAboutProposals } from "../workspace/decide-proposals.ts";
import { dropPreparing } from "../workspace/decide-workspace.ts";
import type { Failure } from "../../model/agent/failure.ts";
import type { RunEvent } from "../../model/events/events.ts";
import { lacksTrust } from "../../model/flow/bindings.ts";
import type { BlockedReason, GuidanceCode } from "../../model/requests/blocked.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

/** With nothing live and nothing to start, the run is over or needs somebody. */
export function settleRun(state: RunState, now: number): RunEvent[] {
  if (Object.keys(state.attempts).length > 0 || state.ready.count > 0) return [];
  if (Object.keys(state.checking).length > 0 || owesCommit(state) || owesHooks(state) || owesPutBack(state))
    return [];
  // What is done is not known before the run is where it was put back to.
  if (state.restoring !== null || isGateShut(state)) return [];
  if (state.stepsLeft === 0)
    return (
      beforeReality(state, now) ??
      beforeCompletion(state, now) ??
      beforeEnd(state, now) ?? [{ type: "RunCompleted", data: { result: resultOf(state) } }]
    );
  const failed = Object.values(state.steps).find((step) => step.status === "failed" && !step.settled);
  if (failed === undefined || failed.lastFailure === null) return askAboutProposals(state);
  const replanned = replanAfter(state, failed);
  if (replanned !== null) return replanned;
  const { class: kind } = failed.lastFailure;
  return [kind === "terminal" ? cannotDispatch(failed, failed.lastFailure) : exhausted(failed)];
}

const cannotDispatch = ({ spec, started, charged }: StepState, failure: Failure): RunEvent =>
  lacksTrust(failure.text)
    ? {
        type: "RunBlocked",
        data: {
          blocked: {
            reason: "protected_files",
            detail: `step "${spec.name}" was not started, because what it would obey is ${failure.text}`,
            step: spec.name,
            attemptKept: false,
            guidance: [],
          },
        },
      }
    : started > 0 && charged > 0
      ? { type: "RunFailed", data: { step: spec.name, failure } }
      : {
          type: "RunBlocked",
          data: {
            blocked: {
              reason: "dispatch_error",
              detail: `step "${spec.name}" could not be started: ${failure.text}`,
              step: spec.name,
              attemptKept: false,
              guidance: ["invalid_binding"],
            },
          },
        };

const exhausted = ({ spec, charged, checkFails, lastFailure }: StepState): RunEvent => {
  const checked = lastFailure?.class === "check_failed" || lastFailure?.class === "artifact_invalid";
  const what =
    lastFailure?.class === "artifact_invalid" ? "did not deliver its outputs" : "did not pass its checks";
  const count = checked ? checkFails : charged;
  const times = `${checked ? what : "failed"} ${String(count)}`;
  return {
    type: "RunBlocked",
    data: {
      blocked: {
        reason: reasonOf(lastFailure),
        detail: `step "${spec.name}" ${times} time${count === 1 ? "" : "s"}; the last time: ${lastFailure?.text ?? "unknown"}`,
        step: spec.name,
        attemptKept: false,
        guidance: checked ? [whyUnproved(spec)] : [],
      },
    },
  };
};

/** What a reviewer changes is put back: it can say what is wrong as often as it likes, and nobody is there to mend it. */
const whyUnproved = ({ authority, plans }: StepState["spec"]): GuidanceCode =>
  authority === "reviews" && plans === undefined ? "review_only_dead_end" : "proof_not_strong_enough";

const reasonOf = (failure: Failure | null): BlockedReason => {
  if (failure?.text === TIMED_OUT) return "timeout";
  if (failure?.text === NO_FIRST_OUTPUT) return "stuck";
  if (failure?.class === "rate_limited") return "rate_limited";
  return "retries_exhausted";
};

export function settleStop(state: RunState): RunEvent[] {
  const checks = [...dropChecks(state), ...dropTriage(state, "the run is stopping"), ...dropPreparing(state)];
  if (checks.length > 0) return checks;
  // What a gate does is not broken off half way: it has a limit of its own. And no reviewer is left at work.
  if (Object.values(state.effects).some(({ kind }) => kind === "RunAtGate" || kind === "EndAgent")) return [];
  if (Object.keys(state.attempts).length > 0) return [];
  const stop = state.stop ?? "operator";
  return [
    state.stoppingTo === "cancelled"
      ? { type: "RunCancelled", data: { stop } }
      : { type: "RunPaused", data: { stop } },
  ];
}

/** What the last steps of the flow returned, or the value itself where there is only one step. */
function resultOf(state: RunState): unknown {
  const names = Object.keys(state.steps);
  const last = names.filter((name) => (state.dependents[name] ?? []).length === 0);
  const [only] = last;
  if (names.length === 1 && only !== undefined) return state.steps[only]?.result ?? null;
  return Object.fromEntries(last.map((name) => [name, state.steps[name]?.result ?? null]));
}
