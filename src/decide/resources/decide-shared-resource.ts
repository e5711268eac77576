import type { RunEvent } from "../../model/events/events.ts";
import type { Asked } from "../../model/host/store-resource.ts";
import { sharedResourceText } from "../../model/host/resource-address.ts";
import type {
  SharedResourceFact,
  SharedResourceRules,
  SharedResourceState,
  SharedResourceTrouble,
  Incident,
  Pause,
} from "../../model/host/shared-resource.ts";

/** A reset further away than any provider's longest window is not believed. */
const NAMED_MAX_MS = 8 * 24 * 3_600_000;

/**
 * What follows for a shared resource from a fact that was just folded. Pure: the fact, what was reported before, the
 * numbers of the run that reported it, and the time.
 */
export function decideResource(
  state: SharedResourceState,
  fact: SharedResourceFact,
  rules: SharedResourceRules,
  at: number,
): RunEvent[] {
  switch (fact.kind) {
    case "limited":
      return [...pauseForLimit(state, fact, rules, at), ...correlate(state, fact, rules, at)];
    case "failed":
      return [...pauseForFailure(state, fact, rules, at), ...correlate(state, fact, rules, at)];
    case "died":
      return suspectHost(state, fact, rules, at);
    case "broken":
      return suspectRepository(state, fact, rules, at);
    case "worked":
      return reopen(state, at);
    case "spent":
      return [];
  }
}

const isPaused = ({ pause }: SharedResourceState, at: number): boolean =>
  pause !== null && pause.reopenedAt === null && at < pause.until;

/** The pause is over, and nobody has shown yet that it works. */
const isHalfOpen = ({ pause }: SharedResourceState, at: number): boolean =>
  pause !== null && pause.reopenedAt === null && at >= pause.until;

function paused(
  state: SharedResourceState,
  pause: Omit<Pause, "id">,
  id = (state.pause?.id ?? 0) + 1,
): RunEvent {
  return { type: "GroundPaused", data: { pause: { id, ...pause } } };
}

/** Each renewal is shorter than the one before, until a long time without any lets it begin again. */
function nthOf({ pause }: SharedResourceState, rules: SharedResourceRules, at: number): number {
  const renewed = pause !== null && at - pause.until < rules.decayMs;
  return renewed ? pause.nth + 1 : 1;
}

/** A limit that names its end is waited out; any other is waited for a while. While it is waited for, it is one limit. */
function pauseForLimit(
  state: SharedResourceState,
  fact: SharedResourceFact,
  rules: SharedResourceRules,
  at: number,
): RunEvent[] {
  const named = fact.until !== null && fact.until > at && fact.until - at <= NAMED_MAX_MS ? fact.until : null;
  const first = { run: fact.run, priority: fact.priority };
  const byClock = named !== null && fact.named === true ? { named: true } : {};
  if (isPaused(state, at) && state.pause !== null)
    return prolong(state, state.pause, { named, first, byClock });
  const nth = nthOf(state, rules, at);
  const isOften = named === null && state.failures >= rules.failures;
  const waitMs = Math.max(Math.round(rules.waitMs / nth), isOften ? rules.openMs : 0);
  const until = named ?? at + waitMs;
  const needed = isOften ? rules.successes : 1;
  return [
    paused(state, {
      why: isOften ? "breaker" : "limit",
      since: at,
      until,
      nth,
      text: fact.text,
      first,
      needed,
      ...byClock,
    }),
  ];
}

/** A later end counts, and so does a run that is to go before the one that would go first. */
function prolong(
  state: SharedResourceState,
  pause: NonNullable<SharedResourceState["pause"]>,
  {
    named,
    first,
    byClock,
  }: Pick<Pause, "first"> & { readonly named: number | null; readonly byClock: object },
): RunEvent[] {
  const later = named !== null && named > pause.until;
  const sooner = first.priority > pause.first.priority;
  if (!later && !sooner) return [];
  const { id, why, since, nth, text, needed } = pause;
  const until = later ? named : pause.until;
  const kind = later ? byClock : pause.named === true ? { named: true } : {};
  const goes = sooner ? first : pause.first;
  return [paused(state, { why, since, until, nth, text, first: goes, needed, ...kind }, id)];
}

/** The circuit breaker: it opens after so many failures in a row, or after one where it had just been half open. */
function pauseForFailure(
  state: SharedResourceState,
  fact: SharedResourceFact,
  rules: SharedResourceRules,
  at: number,
): RunEvent[] {
  if (isPaused(state, at)) return [];
  if (!isHalfOpen(state, at) && state.failures < rules.failures) return [];
  const first = { run: fact.run, priority: fact.priority };
  return [
    paused(state, {
      why: "breaker",
      since: at,
      until: at + rules.openMs,
      nth: nthOf(state, rules, at),
      text: fact.text,
      first,
      needed: rules.successes,
    }),
  ];
}

const memberOf = ({ run, attempt }: Pick<SharedResourceTrouble, "run" | "attempt">): string =>
  `${run}/${attempt}`;

/** An attempt is called after its step: `work#2`. */
const stepOf = (member: string): string => member.split("#", 1)[0] ?? member;

/**
 * Sessions of several independent runs that die at once speak against their host, not against the agents. However often
 * the sessions of one run die, of the runs that its agents started, or of one step: that is one run in trouble. So each
 * step is pardoned once, and a crash loop beside a mass death is charged.
 */
function suspectHost(
  state: SharedResourceState,
  fact: SharedResourceFact,
  rules: SharedResourceRules,
  at: number,
): RunEvent[] {
  const { incident } = state;
  if (incident !== null && at - incident.lastAt <= rules.deathsMs) {
    const step = stepOf(memberOf(fact));
    return incident.members.some((member) => stepOf(member) === step) ? [] : [joined(incident, fact)];
  }
  const dead = state.troubles.filter(({ kind, at: when }) => kind === "died" && at - when <= rules.deathsMs);
  const runs = new Set(dead.map(({ run, family }) => family ?? run)).size;
  // Where most sessions live on, it is not the host.
  if (runs < rules.deaths || runs < (fact.living ?? 0)) return [];
  const members = [...new Map(dead.map((death) => [stepOf(memberOf(death)), memberOf(death)])).values()];
  const text = `${String(runs)} runs lost sessions on ${sharedResourceText(state.ground)} within ${String(Math.round(rules.deathsMs / 1_000))} s`;
  const pause = {
    why: "deaths",
    since: at,
    until: at + rules.hostPauseMs,
    nth: 1,
    text,
    first: { run: fact.run, priority: fact.priority },
    needed: 1,
  } as const;
  return [
    ...ended(incident, "another one begins"),
    paused(state, pause),
    opened(state, { cause: "deaths", since: at, text, by: fact.run }, members),
  ];
}

/**
 * The same failure of several runs in one repository speaks against the repository: what failed is left alone for a while,
 * and longer each time it fails again, so often; then every run goes on as if it were alone.
 */
function suspectRepository(
  state: SharedResourceState,
  fact: SharedResourceFact,
  rules: SharedResourceRules,
  at: number,
): RunEvent[] {
  const { incident, pause } = state;
  const lastAt = Math.max(incident?.lastAt ?? -Infinity, pause?.until ?? -Infinity);
  if (incident !== null && at - lastAt <= rules.incidentMs) {
    if (incident.same !== fact.same) return [];
    const isAgain = isHalfOpen(state, at) && pause !== null && pause.nth < rules.brokenPauses;
    return [
      ...(isAgain ? [pauseRepository(state, fact, rules, { at, nth: pause.nth + 1 })] : []),
      ...(incident.members.includes(memberOf(fact)) ? [] : [joined(incident, fact)]),
    ];
  }
  const before = ended(incident, "it was silent for long");
  const alike = state.troubles.filter(
    ({ same, at: when }) => same === fact.same && at - when <= rules.incidentMs,
  );
  const runs = new Set(alike.map(({ run }) => run)).size;
  if (runs < rules.incidentRuns) return before;
  const text = `${String(runs)} runs failed in the same way: ${fact.text}`;
  const about = { cause: "repository", since: at, text, by: fact.run } as const;
  return [
    ...before,
    pauseRepository(state, fact, rules, { at, nth: 1 }),
    opened(state, { ...about, ...(fact.same === undefined ? {} : { same: fact.same }) }, [
      ...new Set(alike.map(memberOf)),
    ]),
  ];
}

const BROKEN_MAX_MS = 3_600_000;

const pauseRepository = (
  state: SharedResourceState,
  fact: SharedResourceFact,
  { brokenMs }: SharedResourceRules,
  { at, nth }: { readonly at: number; readonly nth: number },
): RunEvent =>
  paused(state, {
    why: "broken",
    since: at,
    until: at + Math.max(brokenMs, Math.min(brokenMs * 2 ** (nth - 1), BROKEN_MAX_MS)),
    nth,
    text: fact.text,
    first: { run: fact.run, priority: fact.priority },
    needed: 1,
    ...(fact.about === undefined ? {} : { about: fact.about }),
  });

/** The same trouble of several runs within a while is one incident. */
function correlate(
  state: SharedResourceState,
  fact: SharedResourceFact,
  rules: SharedResourceRules,
  at: number,
): RunEvent[] {
  const { incident } = state;
  const isOver = incident !== null && at - incident.lastAt > rules.incidentMs && !isPaused(state, at);
  if (incident !== null && !isOver)
    return incident.members.includes(memberOf(fact)) ? [] : [joined(incident, fact)];
  const recent = state.troubles.filter(
    ({ kind, at: when }) => kind !== "died" && at - when <= rules.incidentMs,
  );
  const before = ended(incident, "it was silent for long");
  if (new Set(recent.map(({ run }) => run)).size < rules.incidentRuns) return before;
  const cause = fact.kind === "limited" ? "limit" : "outage";
  const about = { cause, since: at, text: fact.text, by: fact.run } as const;
  return [...before, opened(state, about, [...new Set(recent.map(memberOf))])];
}

/** Who survived a mass death shows that the pause was not needed: then nobody goes first, and nobody waits longer. */
function reopen(state: SharedResourceState, at: number): RunEvent[] {
  const { pause, incident } = state;
  const isShown = pause !== null && pause.reopenedAt === null && pause.successes >= pause.needed;
  if (!isShown) return [];
  const why = "it was seen to work again";
  const isNeedless = pause.why === "deaths" && isPaused(state, at);
  const data = { pause: pause.id, why, ...(isNeedless ? { atOnce: true } : {}) };
  return [{ type: "GroundReopened", data }, ...ended(incident, why)];
}

/** What a person who lifts the pause of a shared resource has changed; nothing where there is none. */
export interface Lift extends Asked {
  readonly by: string;
  /** Only this pause, and none that has begun since. */
  readonly pause?: number;
}

export function liftPause({ pause, incident }: SharedResourceState, lift: Lift): RunEvent[] {
  if (pause === null || pause.reopenedAt !== null) return [];
  const { by, pause: only, ...asked } = lift;
  if (only !== undefined && only !== pause.id) return [];
  const why = `lifted by ${by}`;
  return [
    { type: "GroundReopened", data: { pause: pause.id, why, by, ...asked, atOnce: true } },
    ...ended(incident, why),
  ];
}

const opened = (state: SharedResourceState, about: Omit<Incident, "id">, members: string[]): RunEvent => ({
  type: "IncidentOpened",
  data: { incident: { id: `${state.ground}/i${String(state.incidents + 1)}`, ...about }, members },
});

const joined = ({ id }: Incident, fact: SharedResourceFact): RunEvent => ({
  type: "IncidentJoined",
  data: { id, member: memberOf(fact) },
});

const ended = (incident: Incident | null, why: string): RunEvent[] =>
  incident === null ? [] : [{ type: "IncidentEnded", data: { id: incident.id, why } }];
