import type { Effect } from "../model/effects.ts";
import type { EventData, RunEvent } from "../model/events.ts";
import type { RunState } from "../model/run-state.ts";
import type { DeathState } from "../model/supervision.ts";

/**
 * Quarantine: a run in whose turns supervisors end, twice in a row without progress in between, is blocked by name, so
 * that the others continue. Its sessions are ended and people are told; nothing else of it is carried out. If a
 * supervisor ends even then, the run is left alone altogether until a person asks something of it.
 */
const QUARANTINED_AT = 2;
const LEFT_ALONE_AT = 3;
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

const deathsInARow = ({ claim }: RunState): number => claim.deaths?.inARow ?? 0;

/** May be asked alone, where nothing else of a run can be decided without ending the supervisor. */
export function quarantineRule(state: RunState): RunEvent[] {
  const { claim, status } = state;
  const isWorking = status === "queued" || status === "running" || status === "pausing";
  if (claim.deaths === undefined || deathsInARow(state) < QUARANTINED_AT || !isWorking) return [];
  const { inARow, last } = claim.deaths;
  const detail = `supervisors ended in a turn of this run ${String(inARow)} times in a row without progress, the last time by ${HOW[last.how]}: ${last.text}`;
  return [
    {
      type: "RunBlocked",
      data: { blocked: { reason: "quarantined", detail, attemptKept: false, guidance: [] } },
    },
  ];
}

const HOW = { exception: "an exception", exit: "an exit", abort: "an abort" } as const;

/** An agent may give any reason: it is the supervisors' deaths that count. */
export const isQuarantined = (state: RunState): boolean =>
  state.blocked?.reason === "quarantined" && deathsInARow(state) >= QUARANTINED_AT;

/** Not even its end could be decided. */
export const isLeftAlone = (state: RunState): boolean => deathsInARow(state) >= LEFT_ALONE_AT;

const STILL_PERFORMED: ReadonlySet<Effect["kind"]> = new Set(["EndAgent", "Notify"]);

/** What is intended and may be carried out; the rest waits until a person has looked. */
export function effectsToPerform(state: RunState): Readonly<Record<string, Effect>> {
  if (!isQuarantined(state)) return state.effects;
  return Object.fromEntries(
    Object.entries(state.effects).filter(([, { kind }]) => STILL_PERFORMED.has(kind)),
  );
}
