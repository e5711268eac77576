import type { EventData, RunEvent } from "../../model/events/events.ts";
import type { RunState } from "../../model/state/run-state.ts";
import type { DeathState } from "../../model/host/supervision.ts";

const KNOWN_MAX = 8;

export const evolveDeaths = {
  SupervisorDied(state: RunState, { death, how, text, diedAt }: EventData<"SupervisorDied">): void {
    const before: DeathState | undefined = state.claim.deaths;
    if (before?.known.includes(death) === true) return;
    const deaths: DeathState = {
      inARow: (before?.inARow ?? 0) + 1,
      known: [...(before?.known ?? []), death].slice(-KNOWN_MAX),
      last: { at: diedAt, how, text },
    };
    state.claim = { ...state.claim, deaths };
  },
};

/** Before the event is folded: what counts as progress begins the count again. */
export function forgetDeaths(state: RunState, event: RunEvent): void {
  const { deaths } = state.claim;
  if (deaths === undefined || deaths.inARow === 0 || !isProgress(state, deaths, event)) return;
  // Still known by id, so that one that is reported late does not count after all.
  state.claim = { ...state.claim, deaths: { ...deaths, inARow: 0 } };
}

/** An attempt that ended by itself, a step, a person's request, or news of a session that outlived the supervisor. */
function isProgress({ attempts }: RunState, { last }: DeathState, event: RunEvent): boolean {
  if (event.type === "AttemptEnded") return event.data.outcome !== "interrupted";
  if (event.type === "RequestAnswered") return event.data.answer.kind === "done";
  if (event.type !== "SignalsHeard") return event.type === "StepSucceeded" || event.type === "RunUnblocked";
  const attempt = attempts[event.data.attempt];
  return attempt !== undefined && attempt.startedAt < last.at && event.data.cursor !== attempt.cursor;
}
