import { mentions } from "../../fold/step/is-handled.ts";
import type { Output } from "../../model/effects/artifact.ts";
import { PLAN_FILE } from "../../model/flow/flow-file.ts";
import type { Condition } from "../../model/flow/flow-parts.ts";
import { isSameJson } from "../../model/values/pointed.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";

/** Why a step whose needs have all come to an end is not to be done; null where it is. */
export function whySkipped(state: RunState, { spec }: StepState): string | null {
  if (spec.when === undefined && state.passedOver === 0) return null;
  for (const need of spec.needs) {
    const status = state.steps[need]?.status;
    if (status === "skipped" && spec.onSkipped !== "run" && !mentions(spec.when, need, "skipped"))
      return `"${need}", which it needs, was skipped`;
    if (status === "failed" && !mentions(spec.when, need, "failed"))
      return `"${need}", which it needs, has failed`;
  }
  const failing = (spec.when ?? []).find((condition) => !holds(state, condition));
  return failing === undefined ? null : `its condition does not hold: ${conditionText(state, failing)}`;
}

function holds(state: RunState, { step: name, status, verdict, ...value }: Condition): boolean {
  const step = state.steps[name];
  if (step === undefined) return false;
  if (status !== undefined) return step.status === status;
  if (verdict === "pass") return step.status === "succeeded" && step.spec.checks.length > 0;
  if (verdict === "fail") return step.status === "failed" && step.lastFailure?.class === "check_failed";
  return step.status === "succeeded" && fits(seenBy(state, name, value), value);
}

type Compared = Omit<Condition, "step" | "status" | "verdict">;

function fits(seen: unknown, { equals, not, above, below }: Compared): boolean {
  if (equals !== undefined && !isSameJson(seen, equals)) return false;
  if (not !== undefined && isSameJson(seen, not)) return false;
  if (above !== undefined && !(typeof seen === "number" && seen > above)) return false;
  return below === undefined || (typeof seen === "number" && seen < below);
}

function seenBy(
  state: RunState,
  step: string,
  { output, at = "" }: Pick<Compared, "output" | "at">,
): unknown {
  return state.artifacts[step]?.find(({ path }) => path === output)?.values?.[at];
}

/** What was looked at, what was found and what was expected. */
function conditionText(state: RunState, condition: Condition): string {
  const { step, status, verdict, output, at = "" } = condition;
  const ended = state.steps[step]?.status ?? "unknown";
  if (status !== undefined) return `"${step}" has ${ended}, expected ${status}`;
  if (verdict !== undefined) return `"${step}" has ${ended}, expected its checks to ${verdict}`;
  const seen = JSON.stringify(seenBy(state, step, condition)) as string | undefined;
  const wanted = (["equals", "not", "above", "below"] as const).flatMap((key) =>
    condition[key] === undefined ? [] : [`${key} ${JSON.stringify(condition[key])}`],
  );
  return `${at === "" ? "the whole" : at} of ${output ?? ""} of "${step}" is ${(seen ?? "not there").slice(0, 200)}, expected ${wanted.join(" and ")}`;
}

/** The values of a step's outputs that conditions of others look at, as JSON pointers by path. */
export function valuesRead(state: RunState, name: string): { path: Output["path"]; at: string[] }[] {
  const read = new Map<string, Set<string>>();
  // A plan is read whole.
  if (state.steps[name]?.spec.plans !== undefined) read.set(PLAN_FILE, new Set([""]));
  for (const dependent of state.dependents[name] ?? [])
    for (const { step, output, at = "" } of state.steps[dependent]?.spec.when ?? [])
      if (step === name && output !== undefined) read.set(output, (read.get(output) ?? new Set()).add(at));
  return [...read].map(([path, pointers]) => ({ path, at: [...pointers].sort() }));
}
