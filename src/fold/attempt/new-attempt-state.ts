import { nothingSpent } from "../../model/requests/budget.ts";
import type { EventData } from "../../model/events/events.ts";
import type { AttemptState } from "../../model/state/run-state.ts";
import { notAssessed } from "../health/listen-anew.ts";
import { newHealthState } from "../health/new-health-state.ts";
import { nothingCounted } from "./count-usage.ts";

/** So often a session is ended before a person is asked. */
export const END_TRIES = 2;

/** An attempt of which nothing but its start was decided yet. */
export const newAttemptState = (
  data: EventData<"AttemptStarted">,
  rung: AttemptState["rung"],
  at: number,
): AttemptState => ({
  id: data.attempt,
  step: data.step,
  number: data.number,
  agent: data.agent,
  session: data.session,
  startedAt: at,
  watchedSince: at,
  adoptedAt: null,
  phase: "booting",
  heardAt: null,
  isReady: false,
  cursor: "",
  started: false,
  startFailure: null,
  sandbox: null,
  ending: null,
  endTries: 0,
  endTriesMax: END_TRIES,
  endedAt: null,
  endFailure: null,
  claim: null,
  lastSaid: "",
  exit: null,
  left: null,
  shown: [],
  shows: 0,
  lastError: null,
  raised: null,
  conversation: null,
  permissions: {},
  answers: 0,
  tells: 0,
  rung,
  waitedMs: 0,
  health: newHealthState(at),
  assessed: notAssessed(at),
  afresh: false,
  message: null,
  helps: data.helps ?? false,
  limitsPassed: 0,
  reserved: data.reserved ?? {},
  spent: nothingSpent(),
  counted: nothingCounted(),
  largest: nothingSpent(),
  turnAt: null,
  inTurn: false,
  activeAt: at,
  asked: false,
  finding: null,
});
