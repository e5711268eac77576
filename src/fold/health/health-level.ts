import type { HealthState, Level, Wait } from "../../model/agent/health.ts";
import { type HealthLimits, paceOf } from "./health-limits.ts";

/** Degrees that only time confirms: silence, error rates and context, each with its reason. */
export interface Raw {
  readonly level: 0 | 1 | 2;
  readonly pattern: "no_progress" | "error_loop" | "resource_exhaustion" | "timeout" | "promise";
  readonly why: string;
}

const NOTHING: Raw = { level: 0, pattern: "no_progress", why: "" };

/** What is waited for. Somebody else's turn comes before the agent's own. */
export function waitOf(health: HealthState, now: number, limits: HealthLimits): Wait | null {
  const { limit, asks, open } = health;
  if (limit !== null) {
    const until = limit.until ?? limit.since + limits.limitWaitMs;
    if (now < until) return { for: "limit", since: limit.since, until, what: limit.text };
  }
  const [ask] = asks;
  if (ask !== undefined)
    return {
      for: ask.what,
      since: ask.at,
      until: null,
      what: ask.text ?? (ask.what === "permission" ? "an answer to a permission" : "an answer"),
    };
  const asking = open.find((call) => call.does === "ask");
  if (asking !== undefined)
    return { for: "person", since: asking.at, until: null, what: `an answer to ${asking.name}` };
  if (health.extendedTo !== null && now < health.extendedTo)
    return {
      for: "extension",
      since: health.voiceAt,
      until: health.extendedTo,
      what: "more time was asked for",
    };
  return ownWait(health, resumedAt(health), limits);
}

/** When the last wait for somebody else was over: silence before it is not the agent's. */
const resumedAt = ({ limit, extendedTo }: HealthState): number =>
  Math.max(limit?.until ?? limit?.since ?? -Infinity, extendedTo ?? -Infinity);

function ownWait(health: HealthState, resumed: number, limits: HealthLimits): Wait | null {
  const [oldest] = health.open;
  const blind = health.resultsSeen === 0 ? health.open.at(-1) : undefined;
  // Where no results are seen, a call is over when the agent speaks again.
  if (blind !== undefined && blind.at >= health.said.at && !health.ended && limits.turnEnds === "spoken")
    return {
      for: "tool",
      since: blind.at,
      until: blind.at + Math.max(limits.toolMs, blind.limitMs ?? 0),
      what: `${blind.name} ${blind.words}`,
    };
  if (oldest !== undefined && health.resultsSeen > 0)
    return {
      for: "tool",
      since: oldest.at,
      until: toolBy(health, limits),
      what: `${oldest.name} ${oldest.words}`,
    };
  if (health.ended) return { for: "person", since: health.voiceAt, until: null, what: "its turn has ended" };
  if (health.turnSince !== null) {
    const since = Math.max(health.turnSince, resumed);
    const what = limits.hasTask ? "an answer of the model" : "its prompt: it has no task yet";
    return { for: "model", since, until: since + limits.turnStuckMs, what };
  }
  if (limits.turnEnds === "spoken" && health.screen === null)
    return { for: "person", since: health.voiceAt, until: null, what: "it has said its last word" };
  return null;
}

const toolBy = (health: HealthState, limits: HealthLimits): number =>
  Math.max(...health.open.map((call) => call.at + Math.max(limits.toolMs, call.limitMs ?? 0)));

/** From when on silence counts as degraded and as stuck, if nothing more is received. */
function silenceMarks(
  health: HealthState,
  wait: Wait | null,
  limits: HealthLimits,
): { degradedAt: number; stuckAt: number } {
  switch (wait?.for) {
    case "person":
    case "permission":
      return { degradedAt: Infinity, stuckAt: Infinity };
    case "limit":
    case "extension": {
      const from = wait.until ?? Infinity;
      return { degradedAt: from + limits.turnDegradedMs, stuckAt: from + limits.turnStuckMs };
    }
    case "tool":
      return { degradedAt: toolBy(health, limits), stuckAt: toolBy(health, limits) };
    case "model":
      return { degradedAt: wait.since + limits.turnDegradedMs, stuckAt: wait.since + limits.turnStuckMs };
    case undefined:
      return idleMarks(Math.max(health.voiceAt, resumedAt(health)), limits);
  }
}

const idleMarks = (since: number, limits: HealthLimits): { degradedAt: number; stuckAt: number } => ({
  degradedAt: since + limits.idleMs,
  stuckAt: since + limits.silenceMs,
});

/** Instants after `since` at which time alone makes the raw degree worse, in order. */
export function rawChanges(health: HealthState, since: number, limits: HealthLimits): number[] {
  if (!limits.timed) return [];
  const wait = waitOf(health, since, limits);
  const { degradedAt, stuckAt } = silenceMarks(health, wait, limits);
  return [degradedAt, stuckAt].filter((time) => time > since && time !== Infinity);
}

export function rawAt(health: HealthState, now: number, limits: HealthLimits): Raw {
  const silent = limits.timed ? silenceRaw(health, now, limits) : NOTHING;
  const others = [rateRaw(health, limits), paceRaw(health, limits), contextRaw(health, limits)];
  return others.reduce((worst, one) => (one.level > worst.level ? one : worst), silent);
}

function silenceRaw(health: HealthState, now: number, limits: HealthLimits): Raw {
  const wait = waitOf(health, now, limits);
  const { degradedAt, stuckAt } = silenceMarks(health, wait, limits);
  if (now < degradedAt) return NOTHING;
  const level = now >= stuckAt ? 2 : 1;
  const since = wait?.since ?? health.voiceAt;
  const silentS = String(Math.round((now - since) / 1_000));
  if (wait?.for === "tool")
    return { level, pattern: "timeout", why: `${wait.what} has not ended for ${silentS} s` };
  if (wait?.for === "model") return { level, pattern: "no_progress", why: unanswered(limits, silentS) };
  if (health.said.promises > 0)
    return { level, pattern: "promise", why: `announced an action ${silentS} s ago and did nothing since` };
  return { level, pattern: "no_progress", why: `there was no output for ${silentS} s` };
}

const unanswered = ({ hasTask }: HealthLimits, silentS: string): string =>
  hasTask
    ? `the model has not answered for ${silentS} s`
    : `the program has no task yet: it was not seen at its prompt for ${silentS} s`;

/** Failures with news among them are work; failures alone are not. */
function rateRaw({ outcomes }: HealthState, limits: HealthLimits): Raw {
  if (!limits.timed || outcomes.length < 10) return NOTHING;
  const failed = failedIn(outcomes);
  const rate = failed / outcomes.length;
  const [degraded, stuck] = limits.errorRates;
  if (rate < degraded) return NOTHING;
  const level = rate >= stuck && !outcomes.includes("n") ? 2 : 1;
  return {
    level,
    pattern: "error_loop",
    why: `${String(failed)} of the last ${String(outcomes.length)} calls failed${level === 2 ? ", and none brought anything new" : ""}`,
  };
}

/** Few calls an hour, and all the time is the model's own: slow, and no reason to end it. */
function paceRaw(health: HealthState, { timed, callApartMs }: HealthLimits): Raw {
  const paceMs = timed ? paceOf(health) : null;
  if (paceMs === null || paceMs < callApartMs) return NOTHING;
  const perMinute = (60_000 / paceMs).toFixed(1);
  return { level: 1, pattern: "no_progress", why: `it makes ${perMinute} calls a minute` };
}

function contextRaw({ contextPct }: HealthState, limits: HealthLimits): Raw {
  const [degraded, stuck] = limits.contextPcts;
  if (contextPct === null || contextPct < degraded) return NOTHING;
  const why = `the context is ${String(Math.round(contextPct))} % full`;
  return { level: contextPct >= stuck ? 2 : 1, pattern: "resource_exhaustion", why };
}

/**
 * Whether it is plain without looking closer that nothing is wrong: it spoke lately, no failures to speak of, room
 * left.
 */
export function isCalm(health: HealthState, now: number, limits: HealthLimits): boolean {
  const { level, contextPct, outcomes, voiceAt, turnSince, open } = health;
  const quietMs = Math.min(limits.idleMs, limits.turnDegradedMs);
  return (
    level.shown === 0 &&
    level.worseSince === null &&
    now - voiceAt < quietMs &&
    now - level.at < quietMs &&
    now - (turnSince ?? now) < quietMs &&
    (contextPct === null || contextPct < limits.contextPcts[0]) &&
    (paceOf(health) ?? 0) < limits.callApartMs &&
    (open.length === 0 || now - (open[0]?.at ?? now) < limits.toolMs) &&
    (outcomes.length < 10 || failedIn(outcomes) < limits.errorRates[0] * 10)
  );
}

function failedIn(outcomes: string): number {
  let failed = 0;
  for (let at = 0; at < outcomes.length; at += 1) if (outcomes.charCodeAt(at) === FAILED_CODE) failed += 1;
  return failed;
}

const FAILED_CODE = 120;

/** The degree that is shown at a time: it follows the raw one only after it has held for some ticks. */
export function levelAt(health: HealthState, now: number, limits: HealthLimits): Level {
  const level = { ...health.level };
  if (now <= level.at && now !== health.startedAt) return hold(level, rawAt(health, level.at, limits).level);
  let from = level.at;
  for (const change of [...rawChanges(health, from, limits).filter((time) => time < now), now]) {
    advance(level, rawAt(health, from, limits).level, { from, to: change }, limits);
    from = change;
  }
  level.at = now;
  return hold(level, rawAt(health, now, limits).level);
}

/** A side that no longer holds starts again the next time. */
function hold(level: Level, raw: 0 | 1 | 2): Level {
  level.worseSince = raw > level.shown ? (level.worseSince ?? level.at) : null;
  level.betterSince = raw < level.shown ? (level.betterSince ?? level.at) : null;
  return level;
}

function advance(
  level: Level,
  raw: 0 | 1 | 2,
  { from, to }: { from: number; to: number },
  limits: HealthLimits,
): void {
  while (raw > level.shown) {
    level.worseSince ??= from;
    const due = level.worseSince + limits.tickMs * (level.shown === 0 ? limits.badTicks : limits.stuckTicks);
    if (due > to) break;
    level.shown = level.shown === 0 ? 1 : 2;
    level.worseSince = due;
  }
  while (raw < level.shown) {
    level.betterSince ??= from;
    const due = level.betterSince + limits.tickMs * (level.shown === 2 ? limits.calmTicks : limits.goodTicks);
    if (due > to) break;
    level.shown = level.shown === 2 ? 1 : 0;
    level.betterSince = due;
  }
  if (raw <= level.shown) level.worseSince = null;
  if (raw >= level.shown) level.betterSince = null;
}
