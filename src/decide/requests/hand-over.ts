import { lastKept, treeOfStep } from "../../fold/workspace/workspace-place.ts";
import { isOver } from "../../model/state/step-over.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { HandOver } from "../../model/effects/hand-over.ts";
import type { RunRequest } from "../../model/requests/requests.ts";
import type { RunState, StepState } from "../../model/state/run-state.ts";
import { answered, refusedFor, type Verdict } from "../dispatch/verdict.ts";

type Asked = Extract<RunRequest, { kind: "handoff" }>;

/**
 * Gives a step to another agent (W4). A session that works it is ended first, and its work does not count; the next
 * attempt is the other agent's, which is given what was before.
 */
export function handOff(state: RunState, request: Asked, by: string): Verdict {
  const names = stepsFor(state, request.step);
  const [name, ...others] = names;
  const step = name === undefined ? undefined : state.steps[name];
  if (step === undefined || name === undefined)
    return refusedFor(
      `handoff is refused: ${request.step === undefined ? "no step is left to be worked" : `the run has no open step "${request.step}"`}; its open steps are ${openSteps(state).join(", ") || "none"}`,
    );
  if (others.length > 0) return refusedFor(`handoff is refused: name one by --step: ${names.join(", ")}`);
  const known = state.agents[request.to];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(request.spec))
    return refusedFor(
      `handoff is refused: the run has another agent "${request.to}"; give yours another name`,
    );
  const { to, spec, files, reason = "asked for" } = request;
  const over = handOverEvents(state, step, { to, spec, reason, by, files });
  return answered(`${name} goes to ${to}`, [...over, ...makeRoom(state, name, to)]);
}

interface Over extends Pick<Asked, "to" | "spec" | "files"> {
  readonly reason: string;
  readonly by: string;
}

/** The step is the other agent's from now on, and its next attempt is given what was before. */
export function handOverEvents(
  state: RunState,
  step: StepState,
  { to, spec, reason, by, files }: Over,
): RunEvent[] {
  const { name, agent: from } = step.spec;
  const record = recordOf(state, step, files);
  return [
    { type: "HandedOver", data: { step: name, from, to, spec, reason, by, record } },
    { type: "StepAdvised", data: { step: name, by: "holdfast", note: noteOf(record) } },
  ];
}

/** The step that is named, or the one at work, or the one that could be. */
function stepsFor(state: RunState, named: string | undefined): string[] {
  const open = openSteps(state);
  if (named !== undefined) return open.filter((name) => name === named);
  const live = open.filter((name) => state.steps[name]?.live !== null);
  if (live.length > 0) return live;
  const blocked = open.filter((name) => name === state.blocked?.step);
  return blocked.length > 0 ? blocked : open.filter((name) => state.steps[name]?.needsLeft === 0);
}

const openSteps = (state: RunState): string[] =>
  Object.values(state.steps)
    .filter((step) => !isOver(step))
    .map(({ spec }) => spec.name);

function makeRoom(state: RunState, name: string, to: string): RunEvent[] {
  const live = Object.values(state.attempts).filter(({ step, ending }) => step === name && ending === null);
  const ends = live.map((attempt): RunEvent => ({
    type: "AttemptEnding",
    data: { attempt: attempt.id, to: "sent_back", why: `handed over to ${to}` },
  }));
  const isItsBlock = state.status === "blocked" && state.blocked?.step === name;
  // What a gate has asked about is worked again: it asks again when that is done.
  const isAskedAbout =
    live.length === 0 && state.blocked?.gate !== undefined && state.steps[name]?.settled === true;
  return [
    ...ends,
    ...(live.length > 0 ? [] : [{ type: "StepReset", data: { step: name } } as const]),
    ...(isItsBlock || isAskedAbout ? [{ type: "RunUnblocked", data: {} } as const] : []),
  ];
}

function recordOf(state: RunState, step: StepState, files: readonly string[]): HandOver {
  const { spec, checkpoint, feedback, lastFailure, started } = step;
  const last = lastKept(state, treeOfStep(state, spec.name));
  return {
    agent: spec.agent,
    task: spec.task,
    progress:
      checkpoint?.done ??
      (started === 0 ? "not begun" : `${String(started)} attempts, no note of what was done`),
    files: [...files],
    pending: checkpoint?.next ?? feedback ?? lastFailure?.text ?? "all of the task",
    branch: last?.snapshot.branch ?? null,
    commit: last?.snapshot.commit ?? null,
    questions: checkpoint?.questions ?? "",
  };
}

const noteOf = ({ agent, progress, files, pending, branch, commit, questions }: HandOver): string =>
  [
    `this task was ${agent}'s before`,
    `done so far: ${progress}`,
    `still to do: ${pending}`,
    ...(files.length === 0 ? [] : [`files changed: ${files.join(", ")}`]),
    ...(branch === null ? [] : [`branch ${branch}${commit === null ? "" : ` at ${commit.slice(0, 12)}`}`]),
    ...(questions === "" ? [] : [`open questions: ${questions}`]),
  ].join("\n");
