import type { RunEvent } from "../model/events.ts";
import type { RequestAnswer } from "../model/requests.ts";
import type { OpenRequest, RunState } from "../model/run-state.ts";
import { ALLOWED_IN, isAllowed } from "./request-table.ts";

const done = (text: string): RequestAnswer => ({ kind: "done", text });

/** Answers the oldest open request: what it changes, and the answer, in one decision. */
export function answerRequest(state: RunState, open: OpenRequest): RunEvent[] {
  const { changes, answer } = judge(state, open);
  return [...changes, { type: "RequestAnswered", data: { requestId: open.id, answer } }];
}

interface Verdict {
  readonly changes: RunEvent[];
  readonly answer: RequestAnswer;
}

function judge(state: RunState, { request }: OpenRequest): Verdict {
  if (!isAllowed(request.kind, state.status)) return refuse(state, request.kind);
  switch (request.kind) {
    case "pause":
      return pause(state);
    case "cancel":
      return stopTo("cancelled", "cancelling: live sessions are being ended");
    case "resume":
      return { changes: [{ type: "RunResumed", data: {} }], answer: done("the run goes on") };
    case "retry":
      return retry(state, request.step);
    case "signal":
    case "settle":
    case "budget":
      return onlyForBodies(request.kind);
    case "reopen":
      return {
        changes: [{ type: "RunReopened", data: {} }],
        answer: done("the run is open again and paused; retry a step or resume it"),
      };
  }
}

/** A run of steps has no body that could hear it; a body's own program answers these. */
const onlyForBodies = (kind: string): Verdict => ({
  changes: [],
  answer: {
    kind: "refused",
    text: `${kind} is refused: the run is worked by agents, not by a body`,
    allowedIn: [],
  },
});

function refuse(state: RunState, kind: OpenRequest["request"]["kind"]): Verdict {
  const allowedIn = [...ALLOWED_IN[kind]];
  const text = `${kind} is refused: the run is ${state.status}; it is allowed when the run is ${allowedIn.join(", ")}`;
  return { changes: [], answer: { kind: "refused", text, allowedIn } };
}

function pause(state: RunState): Verdict {
  if (state.status === "pausing" && state.stoppingTo === "paused")
    return { changes: [], answer: done("the run is pausing already") };
  if (state.status === "pausing")
    return {
      changes: [],
      answer: {
        kind: "refused",
        text: "pause is refused: the run is being cancelled",
        allowedIn: ["running"],
      },
    };
  return stopTo("paused", "pausing: live sessions are being ended, finished work is kept");
}

const stopTo = (to: "paused" | "cancelled", text: string): Verdict => ({
  changes: [{ type: "RunStopping", data: { to, stop: "operator" } }],
  answer: done(text),
});

function retry(state: RunState, name: string | undefined): Verdict {
  if (name !== undefined && !Object.hasOwn(state.steps, name)) {
    const text = `retry is refused: the run has no step "${name}"; its steps are ${Object.keys(state.steps).join(", ")}`;
    return { changes: [], answer: { kind: "refused", text, allowedIn: [] } };
  }
  const steps = name === undefined ? stepsToRetry(state) : [name];
  const resets = steps.map((step): RunEvent => ({ type: "StepReset", data: { step } }));
  const ended = state.status === "failed" || state.status === "cancelled";
  const going: RunEvent[] = [
    ...(ended ? [{ type: "RunReopened", data: {} } as const] : []),
    state.status === "blocked" ? { type: "RunUnblocked", data: {} } : { type: "RunResumed", data: {} },
  ];
  const what = steps.length === 0 ? "the run goes on" : `the run goes on; tried again: ${steps.join(", ")}`;
  return { changes: [...resets, ...going], answer: done(what) };
}

/** Without a name: what failed, and what is in the middle of its tries. */
const stepsToRetry = (state: RunState): string[] =>
  Object.entries(state.steps)
    .filter(([, step]) => step.status === "failed" || (step.status === "pending" && step.charged > 0))
    .map(([name]) => name);
