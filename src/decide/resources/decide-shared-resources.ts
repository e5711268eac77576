import type { Blocked } from "../../model/requests/blocked.ts";
import type { EventData, RunEvent } from "../../model/events/events.ts";
import type { SharedResourceNews, Incident, Pause } from "../../model/host/shared-resource.ts";
import { sharedResourceText } from "../../model/host/resource-address.ts";
import type { Assessed } from "../../model/agent/health.ts";
import type { AttemptState, RunState } from "../../model/state/run-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import { accountOfAgent, isDoubted, publishToResource } from "./shared-resources.ts";
import { channelsOf } from "../requests/decide-escalations.ts";
import { showsRepository } from "../dispatch/decide-repository.ts";
import { endNamed, limitEndOf } from "../health/last-word-of.ts";
import { classOfError, isCrash } from "../../fold/attempt/class-of-error.ts";
import { isProviders } from "../attempt/retry-class.ts";

/**
 * What follows from what the run knows of the shared resources it stands on: people are notified, the innocent
 * pardoned, success reported.
 */
export function decideSharedResources(state: RunState): RunEvent[] {
  if (isEnded(state.status)) return [];
  for (const resource in state.sharedResources) {
    const events = decideOne(state, resource);
    if (events.length > 0) return events;
  }
  return [];
}

function decideOne(state: RunState, resource: string): RunEvent[] {
  const { news } = state.sharedResources[resource] ?? { news: null };
  if (news === null) return [];
  const { incident, pardons } = news;
  // One notice for all: it is sent by the run whose word opened the incident.
  if (incident?.by === state.run && !state.incidentsReported.includes(incident.id)) {
    const queued = channelsOf(state).map((channel) => notice(state, resource, { incident, channel }));
    if (queued.length > 0) return queued;
  }
  const pardoned = pardons.find((attempt) => !state.pardoned.includes(attempt));
  if (pardoned !== undefined) {
    const step = pardoned.split("#")[0] ?? pardoned;
    return [
      { type: "AttemptPardoned", data: { attempt: pardoned, step, incident: incident?.id ?? resource } },
    ];
  }
  return reportSuccess(state, resource);
}

/** An agent that got on after a pause shows that its shared resource works again. */
function reportSuccess(state: RunState, resource: string): RunEvent[] {
  const known = state.sharedResources[resource];
  const pause = known?.news.pause ?? null;
  if (known === undefined || pause === null || pause.reopenedAt !== null) return [];
  if (resource.startsWith("repository:")) {
    const attempt = showsRepository(state, pause);
    const isNew = attempt !== undefined && !known.shownBy.includes(attempt);
    return isNew
      ? [publishToResource(state, resource, { kind: "worked", attempt, text: "it works again", until: null })]
      : [];
  }
  for (const attempt of Object.values(state.attempts)) {
    const isOnIt = resource.startsWith("host:") || accountOfAgent(state, attempt.agent) === resource;
    if (!isOnIt || known.shownBy.includes(attempt.id)) continue;
    if (attempt.health.progressAt > Math.max(showsFrom(known.news, pause), attempt.startedAt))
      return [
        publishToResource(state, resource, {
          kind: "worked",
          attempt: attempt.id,
          text: "it got on",
          until: null,
        }),
      ];
  }
  return [];
}

/** A host that kills sessions kills them all within a moment: what still gets on after that has survived. */
const SURVIVED_MS = 3_000;

/**
 * From when on progress shows that a shared resource works. Of a mass death, survivors show it while the pause still
 * lasts.
 */
const showsFrom = ({ pardons }: SharedResourceNews, { why, since, until }: Pause): number =>
  why === "deaths" && pardons.length === 0 ? since + SURVIVED_MS : until;

/**
 * An agent that lives but gets no answer, or nothing but failures, reports it to its account: where several runs do, it
 * is one incident of the provider, and neither of them is helped by a remedy of its own (R5).
 */
export function publishTrouble(state: RunState, attempt: AttemptState, next: Assessed): RunEvent[] {
  const account = accountOfAgent(state, attempt.agent);
  if (next.state !== "stuck" || attempt.assessed.state === "stuck" || account === null) return [];
  const { health, lastError } = attempt;
  const isAsked = state.agents[attempt.agent]?.use !== "tmux" || attempt.isReady;
  const isHung =
    isAsked && next.pattern === "no_progress" && health.turnSince !== null && health.open.length === 0;
  const isFailed =
    next.pattern === "error_loop" && classOfError(lastError) === "transient" && isProviders(lastError);
  if (!isHung && !isFailed) return [];
  const text = next.evidence[0] ?? "the provider does not answer";
  return [publishToResource(state, account, { kind: "failed", attempt: attempt.id, text, until: null })];
}

/** What others are to know of how an attempt ended. */
export function publishEnd(
  state: RunState,
  attempt: AttemptState,
  ended: EventData<"AttemptEnded">,
): RunEvent[] {
  const account = accountOfAgent(state, attempt.agent);
  const { failure } = ended;
  const of = { attempt: attempt.id, text: failure?.text ?? ended.why };
  if (failure?.class === "rate_limited" && account !== null)
    return [
      publishToResource(state, account, {
        ...of,
        kind: "limited",
        until: limitEndOf(attempt),
        ...endNamed(attempt),
      }),
    ];
  if (failure?.class === "transient" && account !== null && isProviders(attempt.lastError))
    return [publishToResource(state, account, { ...of, kind: "failed", until: null })];
  if (ended.outcome === "succeeded" && isDoubted(state, account) && account !== null) {
    const known = state.sharedResources[account];
    if (known?.shownBy.includes(attempt.id) !== true && attempt.startedAt >= (known?.news.pause?.until ?? 0))
      return [publishToResource(state, account, { ...of, kind: "worked", until: null })];
  }
  if (isLost(attempt, ended) && ended.charged && state.host !== null)
    return [publishToResource(state, `host:${state.host}`, { ...of, kind: "died", until: null })];
  return [];
}

/** Nobody has ended it: what is ended at a limit of its own dies by a signal too, and says nothing of its host. */
const isLost = ({ ending, exit }: AttemptState, { outcome }: EventData<"AttemptEnded">): boolean =>
  ending === null && (exit?.how === "signal" || exit?.how === "vanished" || outcome === "zombie");

/** Whether an attempt's failure is its provider's, at a time at which that is known to be in trouble. */
export const isExcused = (state: RunState, attempt: AttemptState): boolean =>
  isDoubted(state, accountOfAgent(state, attempt.agent)) && isProviders(attempt.lastError);

/**
 * The crash guard: agents that crash again and again are not started for a while, and when that does not help an operator
 * is asked (L7).
 */
export function decideCrash(
  state: RunState,
  step: string,
  ended: EventData<"AttemptEnded">,
  now: number,
): RunEvent[] {
  if (!isCrash(ended)) return [];
  const { count, windowMs, pauseMs, perRun, perRunMs } = state.settings.crashes;
  const times = [...state.crashes, now];
  const recent = times.filter((at) => at > state.crashTrippedAt && now - at <= windowMs);
  const often = times.filter((at) => now - at <= perRunMs);
  const tripped: RunEvent[] =
    recent.length < count
      ? []
      : [
          {
            type: "CrashGuardTripped",
            data: { crashes: recent.length, withinMs: windowMs, until: now + pauseMs },
          },
        ];
  if (often.length < perRun || state.status !== "running") return tripped;
  const detail = `agents of the run crashed ${String(often.length)} times within ${String(Math.round(perRunMs / 60_000))} min; the last time: ${ended.failure?.text ?? ended.why}`;
  const blocked: Blocked = { reason: "crash_loop", detail, step, attemptKept: false, guidance: [] };
  return [...tripped, { type: "RunBlocked", data: { blocked } }];
}

const CAUSE_WORDS: Readonly<Record<Incident["cause"], string>> = {
  limit: "a limit of the provider holds several runs up",
  outage: "the provider fails several runs",
  deaths: "many sessions died at once",
  repository: "several runs fail there in the same way",
};

const REMEDY_WORDS =
  "The runs wait and go on by themselves, one after the other; nothing needs to be done for each of them.";
const MEND_WORDS =
  "Mend it there, once: the runs that wait try it again by themselves, one first and the others after it. Runs that were blocked by it before: holdfast inbox";

function notice(
  state: RunState,
  resource: string,
  { incident, channel }: { readonly incident: Incident; readonly channel: string },
): RunEvent {
  return {
    type: "NoticeQueued",
    data: {
      channel,
      notice: {
        id: `${incident.id}/${channel}`,
        at: incident.since,
        kind: "incident",
        run: state.run,
        title: `${sharedResourceText(resource)}: ${CAUSE_WORDS[incident.cause]}`,
        text: `${incident.text}. ${incident.cause === "repository" ? MEND_WORDS : REMEDY_WORDS}`,
        reason: incident.cause,
        owner: null,
        command: "holdfast runs",
        escalation: null,
      },
    },
  };
}
