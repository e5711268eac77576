import type { EventData } from "../../model/events/events.ts";
import type { SharedResourceNews, Incident, Pause } from "../../model/host/shared-resource.ts";
import { sharedResourceText, STORE_RESOURCE } from "../../model/host/resource-address.ts";
import { isoTime } from "../../model/text/iso-time.ts";
import { storeText } from "../status/store-view.ts";

const WHY: Readonly<Record<Pause["why"], string>> = {
  limit: "has met a limit",
  breaker: "fails again and again",
  deaths: "has lost many sessions at once",
  broken: "fails several runs in the same way",
};

const CAUSES: Readonly<Record<Incident["cause"], string>> = {
  limit: "a limit",
  outage: "an outage",
  deaths: "a mass death",
  repository: "the same failure of several runs",
};

/** `the account claude has met a limit: nothing is started on it before …`. */
export const pauseText = (resource: string, { why, until, nth, text }: Pause): string =>
  `${sharedResourceText(resource)} ${WHY[why]}${nth > 1 ? ` (time ${String(nth)})` : ""}: ${why === "broken" ? "what needs it waits until" : "nothing is started on it before"} ${isoTime(until)} (${text})`;

export const incidentText = ({ id, cause, since, text }: Incident): string =>
  `incident ${id}, ${CAUSES[cause]} since ${isoTime(since)}: ${text}`;

const FACTS: Readonly<Record<EventData<"GroundTold">["fact"]["kind"], string>> = {
  limited: "met a limit",
  failed: "was failed by the provider",
  died: "died",
  broken: "was failed by the repository",
  worked: "got on",
  spent: "has spent",
};

/** Descriptions of the events of shared resources, and of what runs learn of them. */
export const DESCRIBE_SHARED_RESOURCES = {
  GroundTold: ({ fact }: EventData<"GroundTold">): string =>
    `${fact.attempt} of ${fact.run} ${FACTS[fact.kind]}: ${fact.text}`,
  GroundPaused: ({ pause }: EventData<"GroundPaused">): string =>
    `nothing is started before ${isoTime(pause.until)} (${pause.text}); ${pause.first.run} goes first`,
  GroundReopened: ({ why }: EventData<"GroundReopened">): string => `open again: ${why}`,
  IncidentOpened: ({ incident, members }: EventData<"IncidentOpened">): string =>
    `${incidentText(incident)}; it concerns ${members.join(", ")}`,
  IncidentJoined: ({ id, member }: EventData<"IncidentJoined">): string =>
    `incident ${id} concerns ${member} too`,
  IncidentEnded: ({ id, why }: EventData<"IncidentEnded">): string => `incident ${id} is over: ${why}`,
  StoreStopped: ({ by }: EventData<"StoreStopped">): string =>
    `stopped by ${by}: every session is suspended and nothing starts`,
  StoreStarted: ({ by }: EventData<"StoreStarted">): string => `started by ${by}: the runs continue`,
  RollbackAccepted: ({ by, anchor, lost }: EventData<"RollbackAccepted">): string =>
    `${by} accepted that the store is older than its anchor ${anchor}: ${lost.map(({ run, seq, found }) => `${run} ends at event ${String(found)} instead of ${String(seq)}`).join(", ") || "what it said cannot be read"}`,
  DayBudgetSet: ({ budget, by }: EventData<"DayBudgetSet">): string =>
    `budget of the day set by ${by}: ${JSON.stringify(budget)}`,
  GroundHeard: ({ ground: resource, news }: EventData<"GroundHeard">): string => newsText(resource, news),
  LimitPassed: ({ step, attempt, ground: resource }: EventData<"LimitPassed">): string =>
    `the limit is over${resource === null ? "" : ` on ${sharedResourceText(resource)}`}: step ${step} goes on with ${attempt}`,
  AttemptPardoned: ({ attempt, incident }: EventData<"AttemptPardoned">): string =>
    `${attempt} is not held against its step: it died with many others (${incident})`,
  CrashGuardTripped: ({ crashes, withinMs, until }: EventData<"CrashGuardTripped">): string =>
    `agents crashed ${String(crashes)} times within ${String(Math.round(withinMs / 1_000))} s: nothing is started before ${isoTime(until)}`,
};

function newsText(resource: string, { pause, incident, stop, day }: SharedResourceNews): string {
  if (resource === STORE_RESOURCE) return storeText(stop ?? null, day ?? null);
  const stands =
    pause === null || pause.reopenedAt !== null
      ? `${sharedResourceText(resource)} is open`
      : pauseText(resource, pause);
  return incident === null ? stands : `${stands}; ${incidentText(incident)}`;
}
