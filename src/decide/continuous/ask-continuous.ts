import type { ContinuousState } from "../../model/continuous/continuous-state.ts";
import type { ContinuousSpec } from "../../model/continuous/continuous-spec.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { Asked } from "../../model/host/store-resource.ts";
import { isEnded } from "../../model/state/run-status.ts";

/** What a person asks of a session. */
export type ContinuousRequest =
  | { readonly kind: "begin"; readonly spec: ContinuousSpec }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "stop" }
  | { readonly kind: "skip"; readonly goal: string };

export interface ContinuousAsker extends Asked {
  readonly by: string;
}

/** `done`: also where it was so before. `refused` changes nothing. */
export type ContinuousAnswer =
  | { readonly kind: "done"; readonly text: string; readonly events: readonly RunEvent[] }
  | {
      readonly kind: "refused";
      readonly text: string;
      readonly why: "unknown" | "blocked" | "over" | "exists";
    };

/** Answers a request by what is recorded, and says what is to be recorded of it. */
export function answerContinuous(
  state: ContinuousState,
  request: ContinuousRequest,
  asker: ContinuousAsker,
): ContinuousAnswer {
  // A server that was killed before it could answer is asked the same again.
  if (asker.request !== undefined && state.requests.includes(asker.request))
    return done("it was done before, by this same request");
  if (request.kind === "begin") return begin(state, request.spec, asker);
  if (state.spec === null)
    return { kind: "refused", why: "unknown", text: `there is no session "${state.name}"` };
  if (state.end !== null)
    return { kind: "refused", why: "over", text: `the session ended: ${state.end.kind} (${state.end.text})` };
  switch (request.kind) {
    case "pause":
      return pause(state, asker);
    case "resume":
      return resume(state, asker);
    case "stop":
      return state.stop === null
        ? done("the session is stopped: nothing starts, and its runs at work are paused", {
            type: "ContinuousStopped",
            data: { ...asker },
          })
        : done(`the session was stopped already by ${state.stop.by}`);
    case "skip":
      return skip(state, request.goal, asker);
  }
}

const done = (text: string, ...events: RunEvent[]): ContinuousAnswer => ({ kind: "done", text, events });

function begin(state: ContinuousState, spec: ContinuousSpec, asker: ContinuousAsker): ContinuousAnswer {
  if (state.spec === null)
    return done("the session has begun", { type: "ContinuousBegun", data: { ...asker, spec } });
  const isSame =
    JSON.stringify(state.spec.intake) === JSON.stringify(spec.intake) && state.spec.cwd === spec.cwd;
  if (!isSame)
    return {
      kind: "refused",
      why: "exists",
      text: `there is a session "${state.name}" with another source; choose another --name`,
    };
  if (state.end !== null)
    return {
      kind: "refused",
      why: "over",
      text: `the session ended: ${state.end.kind} (${state.end.text}); choose another --name to begin again`,
    };
  if (state.stop !== null)
    return {
      kind: "refused",
      why: "blocked",
      text: `the session was stopped by ${state.stop.by}; nothing has changed`,
    };
  if (state.pause === null) return done("the session is at work already; nothing has changed");
  const text =
    state.pause.why === "blocked"
      ? `still blocked by ${state.pause.run ?? "a run"}; nothing has changed`
      : `the session was paused by ${state.pause.by ?? "somebody"}; nothing has changed`;
  return { kind: "refused", why: "blocked", text };
}

function pause(state: ContinuousState, asker: ContinuousAsker): ContinuousAnswer {
  if (state.stop !== null)
    return done(`the session is stopped by ${state.stop.by}: it starts nothing anyway`);
  if (state.pause?.why === "operator") return done("the session is paused already");
  return done("the session is paused: runs at work go on, no other goal starts", {
    type: "ContinuousPaused",
    data: { ...asker, why: "operator" },
  });
}

function resume(state: ContinuousState, asker: ContinuousAsker): ContinuousAnswer {
  if (state.stop === null && state.pause === null) return done("the session is at work already");
  if (state.stop === null && state.pause?.why === "blocked")
    return {
      kind: "refused",
      why: "blocked",
      text: `still blocked by ${state.pause.run ?? "a run"}; nothing has changed`,
    };
  return done("the session goes on", { type: "ContinuousResumed", data: { ...asker, why: "operator" } });
}

function skip(state: ContinuousState, id: string, asker: ContinuousAsker): ContinuousAnswer {
  const goal = Object.hasOwn(state.goals, id) ? state.goals[id] : undefined;
  if (goal === undefined)
    return { kind: "refused", why: "unknown", text: `the session "${state.name}" has no goal "${id}"` };
  if (goal.end !== null) return done(`goal ${id} is over already: ${goal.end.kind}`);
  const run = goal.status === "issued" ? goal.runs.at(-1) : undefined;
  const isOpen = run !== undefined && (run.status === null || !isEnded(run.status));
  return done(
    `goal ${id} is skipped`,
    ...(isOpen ? [{ type: "RunsAsked" as const, data: { what: "cancel" as const, runs: [run.run] } }] : []),
    { type: "GoalEnded", data: { ...asker, goal: id, end: "skipped", text: `skipped by ${asker.by}` } },
  );
}
