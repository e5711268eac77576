import { PERIOD_MAX } from "./health-repeats.ts";
import type { HealthState } from "../../model/agent/health.ts";
import type { AgentKind } from "../../model/agent/kinds/registry.ts";
import type { RunSettings } from "../../model/settings/settings.ts";
import type { AttemptState } from "../../model/state/run-state.ts";

/** Where health draws its lines. Defaults; all of it is configuration. */
export interface HealthLimits {
  readonly tickMs: number;
  readonly badTicks: number;
  readonly stuckTicks: number;
  readonly goodTicks: number;
  readonly calmTicks: number;
  readonly silenceMs: number;
  readonly idleMs: number;
  readonly turnDegradedMs: number;
  readonly turnStuckMs: number;
  readonly toolMs: number;
  readonly errorRates: readonly [degraded: number, stuck: number];
  readonly contextPcts: readonly [degraded: number, stuck: number];
  readonly sameFailure: number;
  readonly sameCall: number;
  readonly sameCallUnanswered: number;
  readonly monologue: number;
  readonly alternation: number;
  readonly failuresInARow: number;
  readonly sameError: number;
  readonly errorsInARow: number;
  readonly unmarkedFailures: number;
  readonly callApartMs: number;
  /** The longest cycle of calls that is looked for. */
  readonly period: number;
  readonly screensSame: number;
  readonly condensations: number;
  readonly limitWaitMs: number;
  /** False where the clock of a recording is invented: then silence and rates say nothing. */
  readonly timed: boolean;
  /** False for a program in a terminal that was not seen at its prompt yet: no model was asked for anything. */
  readonly hasTask: boolean;
  /** Whether a message ends a turn by itself, or the end is distinguished. */
  readonly turnEnds: "spoken" | "reported";
}

export const HEALTH_LIMITS: HealthLimits = {
  tickMs: 30_000,
  badTicks: 2,
  stuckTicks: 3,
  goodTicks: 3,
  calmTicks: 2,
  silenceMs: 300_000,
  idleMs: 120_000,
  turnDegradedMs: 300_000,
  turnStuckMs: 900_000,
  toolMs: 3_600_000,
  errorRates: [0.3, 0.5],
  contextPcts: [85, 95],
  sameFailure: 3,
  sameCall: 4,
  sameCallUnanswered: 5,
  monologue: 3,
  alternation: 6,
  failuresInARow: 5,
  sameError: 5,
  errorsInARow: 8,
  unmarkedFailures: 8,
  callApartMs: 240_000,
  period: PERIOD_MAX,
  screensSame: 3,
  condensations: 10,
  limitWaitMs: 300_000,
  timed: true,
  hasTask: true,
  turnEnds: "reported",
};

const MAY_BE_SILENT: ReadonlySet<AgentKind> = new Set(["function", "command"]);

/**
 * Whether silence says anything: people take their time, and a function or a program of one's own says only what it
 * wants to. One that shows the
 * calls of a model, or what a model has cost, speaks for it, and is expected to go on doing so.
 */
function isTimed(use: AgentKind, { health, spent }: Observing): boolean {
  if (use === "manual") return false;
  return !MAY_BE_SILENT.has(use) || health.batch > 0 || spent.tokens > 0 || spent.usd > 0;
}

type Observing = Pick<AttemptState, "health" | "spent" | "isReady">;

/** The lines for a live agent, as its run was configured, and by what was received from it so far. */
export function healthLimits(
  { health }: Pick<RunSettings, "health">,
  use: AgentKind,
  received: Observing,
): HealthLimits {
  return {
    ...HEALTH_LIMITS,
    tickMs: health.tickMs,
    badTicks: health.badTicks,
    stuckTicks: health.stuckTicks,
    goodTicks: health.goodTicks,
    calmTicks: health.calmTicks,
    errorRates: [health.errorDegradedPct / 100, health.errorStuckPct / 100],
    failuresInARow: health.failuresInARow,
    sameError: health.sameError,
    errorsInARow: health.errorsInARow,
    unmarkedFailures: health.unmarkedFailures,
    callApartMs: health.callApartMs,
    sameCallUnanswered: health.blindCalls,
    period: health.period,
    silenceMs: health.silenceMs,
    idleMs: Math.min(health.idleMs, health.silenceMs),
    turnDegradedMs: health.turnDegradedMs,
    turnStuckMs: Math.max(health.turnDegradedMs, health.turnStuckMs),
    toolMs: health.toolMs,
    limitWaitMs: health.limitWaitMs,
    sameFailure: health.sameFailure,
    sameCall: health.sameCall,
    monologue: health.monologue,
    alternation: health.alternation,
    contextPcts: [health.contextDegradedPct, health.contextStuckPct],
    timed: isTimed(use, received),
    hasTask: use !== "tmux" || received.isReady,
  };
}

const PACE_CALLS = 4;

/** Notes how long the model took until this call. Time in tools, and in waits for others, is not its own. */
export function notePace({ pace, open, asks }: HealthState, at: number, { timed }: HealthLimits): void {
  if (!timed || pace.from === null || open.length > 0 || asks.length > 0) return;
  pace.gapsMs = [...pace.gapsMs, at - pace.from].slice(-PACE_CALLS);
  pace.from = null;
}

/** The mean over its latest calls; null before there are enough of them. */
export const paceOf = ({ pace: { gapsMs } }: HealthState): number | null =>
  gapsMs.length < PACE_CALLS ? null : gapsMs.reduce((sum, ms) => sum + ms, 0) / gapsMs.length;
