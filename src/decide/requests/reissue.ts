import { isOver } from "../../model/state/step-over.ts";
import type { ReissueReason } from "../../model/state/drift.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { reboundOf } from "../workspace/decide-binding.ts";
import { movedText, unsafeBecause } from "../workspace/decide-drift.ts";
import { atWorkOf, replan } from "../dispatch/plan.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";

const WHY: Readonly<Record<ReissueReason, string>> = {
  drift: "the base under it has moved",
  ghost: "nothing was received from it",
  stale: "it was out of date",
  conflict: "others have changed the same",
  rebinding: "another agent is to work it",
  authority: "what its agent may do has changed",
  baseline: "it is to begin from the files as they are now",
};

/**
 * Has work redone, on the base as it is now (W6). One append: sessions at work are ended and do not count, the
 * steps have all their attempts, and everything that was reported of the old base is settled. The files stay as they
 * are.
 */
export function reissue(
  state: RunState,
  { step: named, reason }: Extract<RunRequest, { kind: "reissue" }>,
  by: string,
): Verdict {
  if (named !== undefined && !Object.hasOwn(state.steps, named))
    return refusedFor(
      `reissue is refused: the run has no step "${named}"; its steps are ${Object.keys(state.steps).join(", ")}`,
    );
  const refusal = named === undefined ? null : notPlannable(state, named);
  if (refusal !== null) return refusal;
  const steps = named === undefined ? givenOut(state) : [named];
  const note = [
    `the task was started again: ${WHY[reason]}; look at the files before you continue`,
    ...mergeWords(state, reason),
  ].join("\n");
  const { found } = state.drift;
  const base =
    state.workspace.worktree === null || found === null
      ? {}
      : { base: { branch: found.branch, commit: found.commit } };
  const rebound = reason === "rebinding" || reason === "authority" ? reboundOf(state, steps) : [];
  const events = steps.flatMap((step) => redone(state, step, { note, by }));
  const isSettled = state.status === "blocked" && settles(state, steps);
  const text = steps.length === 0 ? "nothing was started" : `started again: ${steps.join(", ")}`;
  return answered(`${text}; the base is the current one`, [
    ...(state.status === "completed" ? ([{ type: "RunReopened", data: {} }] as const) : []),
    {
      type: "StepsReissued",
      data: { steps, reason, by, ...base, ...(rebound.length === 0 ? {} : { rebound }) },
    },
    ...events,
    ...(state.status === "completed" ? ([{ type: "RunResumed", data: {} }] as const) : []),
    ...(isSettled ? [{ type: "RunUnblocked", data: {} } as const] : []),
  ]);
}

/** What was dropped is not given out any more, and a plan is not dropped from under those that work on it. */
function notPlannable(state: RunState, name: string): Verdict | null {
  const step = state.steps[name];
  if (step?.status === "dropped")
    return refusedFor(`reissue is refused: the step "${name}" was dropped when its plan was made again`);
  const busy = hasPlanned(step) ? atWorkOf(state, name) : [];
  if (busy.length === 0) return null;
  return refusedFor(
    `reissue is refused: ${busy.join(", ")} of the plan is at work; pause the run first, then plan again`,
    ["paused"],
  );
}

/** Whether steps of the run come from its plan, and go with it. */
const hasPlanned = (step: StepState | undefined): step is StepState =>
  step?.spec.plans !== undefined && step.status === "succeeded";

/** Without a name: all that was given out and is not done; where all is done, what the others build on no more. */
function givenOut({ steps, dependents }: RunState): string[] {
  const open = Object.values(steps)
    .filter((step) => !isOver(step) && step.started > 0)
    .map(({ spec }) => spec.name);
  const isDone = Object.values(steps).every(isOver);
  if (!isDone) return open;
  return Object.values(steps)
    .filter(({ status }) => status === "succeeded")
    .map(({ spec }) => spec.name)
    .filter((name) => (dependents[name] ?? []).every((next) => steps[next]?.status !== "succeeded"));
}

/** On a branch of its own an agent takes the others' changes in itself. */
function mergeWords(
  { workspace: { worktree }, drift: { found }, conflict }: RunState,
  reason: ReissueReason,
): string[] {
  if (worktree === null || !["drift", "conflict", "baseline"].includes(reason)) return [];
  const what = found?.commit ?? "the branch that it is on";
  const files =
    conflict.files.length === 0 ? [] : [`in common are: ${conflict.files.slice(0, 20).join(", ")}`];
  return [
    `your work stands on the branch ${worktree.branch}; ${worktree.project} has changed meanwhile`,
    `take its changes into your branch first (git merge ${what}), and see to it that both are right`,
    ...files,
  ];
}

function redone(
  state: RunState,
  name: string,
  { note, by }: { readonly note: string; readonly by: string },
): RunEvent[] {
  const step = state.steps[name];
  const again: RunEvent[] = hasPlanned(step)
    ? replan(state, step, { why: note, by })
    : [{ type: "StepReset", data: { step: name } }];
  const ends = Object.values(state.attempts)
    .filter(({ step, ending }) => step === name && ending === null)
    .map((attempt): RunEvent => ({
      type: "AttemptEnding",
      data: { attempt: attempt.id, to: "sent_back", why: "its task is started again" },
    }));
  const attempt = state.steps[name]?.checking?.attempt;
  const unchecked: RunEvent[] =
    attempt === undefined
      ? []
      : [{ type: "StepChecked", data: { step: name, attempt, verdict: "fail", feedback: note } }];
  return [
    ...ends,
    ...unchecked,
    ...again,
    { type: "StepAdvised", data: { step: name, by: "holdfast", note } },
  ];
}

/**
 * What a step was blocked for is settled where it is redone, or dropped with its plan; and so is what a gate
 * had asked about the work: it asks again when the new work is there, and at once where the old work stands.
 */
const settles = ({ blocked, steps: all }: RunState, steps: readonly string[]): boolean =>
  blocked?.reason === "drift" ||
  blocked?.reason === "operator_commit_refused" ||
  blocked?.reason === "conflict_loop" ||
  (blocked?.gate !== undefined && steps.length > 0) ||
  (blocked?.step !== undefined &&
    (steps.includes(blocked.step) || steps.includes(all[blocked.step]?.plannedBy ?? "")));

/** A person's own commits become the base, if they lie on top of what was there (W7). */
export function reconcile(state: RunState): Verdict {
  const { found, base } = state.drift;
  if (found === null) return refusedFor("reconcile is refused: nothing has moved, as far as was seen");
  if (state.workspace.worktree !== null)
    return refusedFor(
      `reconcile is refused: the run works on a branch of its own; to begin again from yours: holdfast reissue ${state.run} --reason drift`,
    );
  const refusal = unsafeBecause(base, found);
  if (refusal !== null)
    return refusedFor(
      `reconcile is refused: ${refusal}; to have the work redone from there: holdfast reissue ${state.run} --reason baseline`,
    );
  const { branch, commit } = found;
  const goOn: RunEvent[] = state.blocked?.reason === "drift" ? [{ type: "RunUnblocked", data: {} }] : [];
  return answered(`accepted: ${movedText(base?.commit ?? null, found)}`, [
    { type: "BaseNoted", data: { branch, commit } },
    ...goOn,
  ]);
}
