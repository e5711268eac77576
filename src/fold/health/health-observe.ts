import type { HealthState, OpenCall, Pattern } from "../../model/agent/health.ts";
import type { Observed } from "../../model/agent/observed.ts";
import { denied, observeAnswered, observeAsked } from "./health-asks.ts";
import {
  flag,
  observeCondensed,
  observeScreen,
  isCondensed,
  meetLimit,
  raise,
  voice,
} from "./health-voice.ts";
import { isCalm, levelAt } from "./health-level.ts";
import { type HealthLimits, notePace } from "./health-limits.ts";
import { observeStep } from "./health-loops.ts";
import { cycleOf, forgiveRound, observeRetry, repeat } from "./health-repeats.ts";
import { observeSpoken } from "./health-speech.ts";

const OPEN_MAX = 32;
const SENT_KEYS_MAX = 16;

/**
 * Folds one observation into what is remembered of a session. It is given the time; its cost does not grow with the
 * session.
 */
export function observeSeen(health: HealthState, seen: Observed, at: number, limits: HealthLimits): void {
  noteLevel(health, at, limits);
  take(health, seen, at, limits);
  noteLevel(health, at, limits);
}

/** Most of the time nothing is wrong and nothing was: then only the time is noted. */
function noteLevel(health: HealthState, at: number, limits: HealthLimits): void {
  if (isCalm(health, at, limits)) health.level.at = Math.max(at, health.level.at);
  else health.level = levelAt(health, at, limits);
}

function take(health: HealthState, seen: Observed, at: number, limits: HealthLimits): void {
  switch (seen.kind) {
    case "call":
      return observeCall(health, seen, at, limits);
    case "result":
      return observeResult(health, seen, at, limits);
    case "said":
      voice(health, at);
      goOn(health);
      if (limits.turnEnds === "spoken") health.turnSince = null;
      // Who says that it stops is in no loop of calls any more; the next call of the same kind is one again.
      if (seen.spoken.stops === true && health.flag !== null && CALL_PATTERNS.has(health.flag.pattern))
        health.flag = null;
      return raise(health, observeSpoken(health, seen, at, limits));
    case "sent":
      return observeSent(health, seen.key, at);
    case "retried":
      voice(health, at);
      return observeRetry(health);
    case "granted":
      health.flag = null;
      return;
    case "condensed":
      voice(health, at);
      return observeCondensed(health, null, at, limits);
    case "error":
      return observeError(health, seen, at, limits);
    case "limit":
      voice(health, at);
      return meetLimit(health, seen.limit, at);
    case "screen":
      return observeScreen(health, seen, at, limits);
    case "asked":
    case "answered":
    case "context":
    case "process":
    case "progress":
    case "ended":
    case "extended":
    case "beat":
    case "used":
    case "speaking":
      return observeFact(health, seen, at, limits);
  }
}

type Fact = Exclude<
  Observed,
  {
    kind:
      | "call"
      | "result"
      | "said"
      | "sent"
      | "retried"
      | "granted"
      | "condensed"
      | "error"
      | "limit"
      | "screen";
  }
>;

function observeFact(health: HealthState, seen: Fact, at: number, limits: HealthLimits): void {
  switch (seen.kind) {
    case "asked":
      voice(health, at);
      observeAsked(health, seen, at);
      return;
    case "answered": {
      const { callId } = health.asks.find((ask) => ask.id === seen.id) ?? {};
      observeAnswered(health, seen.id, at);
      // Some agents say no more of a call that was denied.
      if (seen.denied === true && callId !== undefined) observeResult(health, denied(callId), at, limits);
      return;
    }
    case "context":
      if (isCondensed(health, seen.usedPct)) observeCondensed(health, seen.usedPct, at, limits);
      health.contextPct = seen.usedPct;
      return;
    case "process":
      health.alive = seen.alive;
      health.exitCode = seen.exitCode;
      return;
    case "progress":
      voice(health, at);
      health.lastLimit = null;
      health.progressAt = at;
      // Somebody answered where we do not see it: a dialog that is open draws nothing new.
      health.asks = health.asks.filter((ask) => ask.what !== "person");
      return;
    case "ended":
      health.ended = true;
      health.turnSince = null;
      health.voiceAt = at;
      return;
    case "extended":
      health.extendedTo = seen.until;
      return;
    case "beat":
      health.voiceAt = at;
      return;
    case "used":
      health.voiceAt = at;
      if (health.turnSince !== null) health.turnSince = at;
      return;
    case "speaking":
      voice(health, at);
      goOn(health);
      return;
  }
}

/**
 * Who speaks or calls again has not ended, no matter what it claimed before: some agents begin a new turn by
 * themselves.
 */
function goOn(health: HealthState): void {
  health.ended = false;
}

function observeCall(
  health: HealthState,
  { id, name, key, head, does, limitMs, words }: Extract<Observed, { kind: "call" }>,
  at: number,
  limits: HealthLimits,
): void {
  // The same call by its own name, after a stream that broke: it is made once.
  if (id !== undefined && health.open.some((open) => open.id === id)) return voice(health, at);
  notePace(health, at, limits);
  voice(health, at);
  goOn(health);
  health.turnSince = null;
  health.said.run = 0;
  health.said.promises = 0;
  health.condensed = 0;
  health.lastLimit = null;
  if (health.flag !== null && SPOKEN_PATTERNS.has(health.flag.pattern)) health.flag = null;
  if (health.open.length === 0) health.batch += 1;
  const call: OpenCall = {
    id: id ?? null,
    name,
    key,
    head,
    does,
    at,
    batch: health.batch,
    limitMs: limitMs ?? null,
    words,
  };
  health.open.push(call);
  if (health.open.length > OPEN_MAX) health.open.shift();
  if (health.resultsSeen > 0) return;
  repeat(health.calls, key);
  const cycle = cycleOf(health.calls, () => limits.sameCallUnanswered, limits.period);
  if (cycle === null) {
    if (health.calls.runs.every((run) => run === 0)) health.progressAt = at;
    return;
  }
  const what = cycle.period === 1 ? `${name} ${words}` : `a cycle of ${String(cycle.period)} calls`;
  raise(health, flag("tool_loop", at, 0.85, `${what}: ${String(cycle.rounds)} times in a row`));
}

const CALL_PATTERNS: ReadonlySet<Pattern> = new Set(["tool_loop", "error_loop", "alternation"]);

const SPOKEN_PATTERNS: ReadonlySet<Pattern> = new Set([
  "monologue",
  "promise",
  "early_stop",
  "resource_exhaustion",
]);

function observeResult(
  health: HealthState,
  result: Extract<Observed, { kind: "result" }>,
  at: number,
  limits: HealthLimits,
): void {
  voice(health, at);
  health.resultsSeen += 1;
  health.said.run = 0;
  const call = closeCall(health, result);
  if (health.open.length === 0) [health.turnSince, health.pace.from] = [at, at];
  if (!result.failed) health.errors.any = 0;
  if (call === null || result.cancelled) return;
  const { flag: found, isNews } = observeStep(health, { call, result }, limits, at);
  if (isNews) {
    health.progressAt = at;
    health.flag = null;
    health.errors.run = 0;
  }
  raise(health, found);
}

/** By its id, or the oldest open call of its name. */
function closeCall(
  health: HealthState,
  { id, name }: Extract<Observed, { kind: "result" }>,
): OpenCall | null {
  const index = health.open.findIndex((call) =>
    id === undefined ? name === undefined || call.name === name : call.id === id,
  );
  const [call] = index === -1 ? [] : health.open.splice(index, 1);
  return call ?? null;
}

/** Words that were not said before are a new task, or help; the same words again are neither. */
function observeSent(health: HealthState, key: string, at: number): void {
  health.turnSince = at;
  health.pace.from = at;
  health.ended = false;
  health.asks = health.asks.filter((ask) => ask.what !== "person");
  if (health.sent.includes(key)) return;
  health.lastLimit = null;
  health.sent.push(key);
  if (health.sent.length > SENT_KEYS_MAX) health.sent.shift();
  health.flag = null;
  health.said.run = 0;
  health.said.promises = 0;
  health.stale = Math.max(0, health.stale - 1);
  for (const repeats of [health.exact, health.alike, health.edits, health.calls]) forgiveRound(repeats);
  const { failures } = health;
  failures.alikeRun = Math.max(0, failures.alikeRun - 1);
  failures.marked = Math.max(0, failures.marked - 1);
}

function observeError(
  health: HealthState,
  { alike, limit, words }: Extract<Observed, { kind: "error" }>,
  at: number,
  { sameError, errorsInARow }: HealthLimits,
): void {
  voice(health, at);
  if (limit !== null) return meetLimit(health, limit, at);
  const { errors } = health;
  errors.run = errors.alike === alike ? errors.run + 1 : 1;
  errors.alike = alike;
  errors.any += 1;
  observeRetry(health);
  if (errors.run >= sameError)
    return raise(
      health,
      flag("error_loop", at, 0.8, `the same error ${String(errors.run)} times in a row: ${words}`),
    );
  if (errors.any >= errorsInARow)
    raise(
      health,
      flag(
        "error_loop",
        at,
        0.75,
        `${String(errors.any)} errors in a row and no call that succeeded; the last: ${words}`,
      ),
    );
}
