import type { RunEvent, RunEventOf } from "../../model/events/events.ts";
import { SHARED_RESOURCE_EVENTS } from "../../model/events/shared-resource-events.ts";
import type { SharedResourceFact, SharedResourceState } from "../../model/host/shared-resource.ts";
import { moveSharedResource, noteClock } from "./shared-resource-clock.ts";
import { CONFIGURED, type DayUsed } from "../../model/host/store-resource.ts";
import { dayOf } from "../../model/text/utc-day.ts";

const KNOWN_MAX = 200;
const TROUBLES_MAX = 50;
const MEMBERS_MAX = 1_000;

export const newSharedResource = (resource: string): SharedResourceState => ({
  ground: resource,
  seq: 0,
  at: 0,
  clocks: {},
  known: [],
  troubles: [],
  failures: 0,
  pause: null,
  incidents: 0,
  incident: null,
  pardoned: [],
  stop: null,
  day: null,
});

const isResourceEvent = (event: RunEvent): event is RunEventOf<keyof typeof SHARED_RESOURCE_EVENTS> =>
  Object.hasOwn(SHARED_RESOURCE_EVENTS, event.type);

/** Folds one event of a shared resource's journal, in place. What it does not know changes nothing. */
export function evolveSharedResource(
  state: SharedResourceState,
  event: RunEvent,
  place: { readonly seq: number; readonly at: number },
): void {
  state.seq = place.seq;
  state.at = place.at;
  if (!isResourceEvent(event)) return;
  switch (event.type) {
    case "GroundTold":
      if (event.data.clock !== undefined) Object.assign(state, moveSharedResource(state, event.data.clock));
      noteClock(state, event.data.clock);
      return applyFact(state, event.data.fact, place.at);
    case "GroundPaused": {
      const { pause } = event.data;
      const successes = state.pause?.id === pause.id ? state.pause.successes : 0;
      state.pause = { ...pause, reopenedAt: null, successes, ...ofBoot(state) };
      return;
    }
    case "GroundReopened":
      reopen(state, event.data, place.at);
      // What has failed before that says nothing of what fails from now on.
      state.troubles = state.troubles.filter(({ kind }) => kind !== "broken");
      return;
    case "IncidentOpened": {
      const { incident, members } = event.data;
      state.incidents += 1;
      state.incident = { ...incident, members, lastAt: place.at, ...ofBoot(state) };
      if (incident.cause === "deaths") state.pardoned = members;
      return;
    }
    case "IncidentJoined":
      return join(state, event.data.member, place.at);
    case "IncidentEnded":
      if (state.incident?.id === event.data.id) state.incident = null;
      return;
    case "StoreStopped":
      state.stop = { at: place.at, by: event.data.by, startedAt: null };
      return;
    case "StoreStarted":
      if (state.stop !== null) state.stop = { ...state.stop, startedAt: place.at };
      return;
    case "RollbackAccepted":
      return;
    case "DayBudgetSet":
      state.day = {
        usd: 0,
        tokens: 0,
        day: dayOf(place.at),
        ...state.day,
        budget: event.data.budget,
        ...(event.data.by === CONFIGURED ? { configured: event.data.budget } : {}),
      };
  }
}

const ofBoot = ({ boot }: SharedResourceState): { readonly boot?: string } =>
  boot === undefined ? {} : { boot };

function reopen(
  state: SharedResourceState,
  { pause: id, atOnce }: RunEventOf<"GroundReopened">["data"],
  at: number,
): void {
  if (state.pause?.id !== id) return;
  state.pause = { ...state.pause, reopenedAt: at, ...(atOnce === undefined ? {} : { atOnce }) };
}

function applyFact(state: SharedResourceState, fact: SharedResourceFact, at: number): void {
  const { key, kind, run, attempt, same, used, family } = fact;
  state.known = [...state.known, key].slice(-KNOWN_MAX);
  if (kind === "spent") {
    if (used !== undefined) spend(state, used);
    return;
  }
  if (kind === "worked") {
    state.failures = 0;
    if (state.pause !== null) state.pause = { ...state.pause, successes: state.pause.successes + 1 };
    return;
  }
  // What comes while the shared resource is paused anyway is the same trouble, not one more.
  if (kind !== "died" && !(state.pause?.reopenedAt === null && at < state.pause.until)) state.failures += 1;
  const trouble = {
    at,
    kind,
    run,
    attempt,
    ...(same === undefined ? {} : { same }),
    ...(family === undefined ? {} : { family }),
    ...ofBoot(state),
  };
  state.troubles = [...state.troubles, trouble].slice(-TROUBLES_MAX);
}

/** What comes in late for a day that is over does not count against the next one. */
function spend(state: SharedResourceState, { day, usd, tokens }: DayUsed): void {
  const before = state.day ?? { budget: {}, day, usd: 0, tokens: 0 };
  if (day < before.day) return;
  const isSame = day === before.day;
  state.day = {
    ...before,
    day,
    usd: (isSame ? before.usd : 0) + usd,
    tokens: (isSame ? before.tokens : 0) + tokens,
  };
}

function join(state: SharedResourceState, member: string, at: number): void {
  if (state.incident === null) return;
  const members = [...state.incident.members, member].slice(-MEMBERS_MAX);
  state.incident = { ...state.incident, members, lastAt: at };
  if (state.incident.cause === "deaths") state.pardoned = members;
}
