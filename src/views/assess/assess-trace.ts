import { assess, assessAgainAt, type Assessment } from "../../decide/health/health-assess.ts";
import { observeSeen } from "../../fold/health/health-observe.ts";
import { HEALTH_LIMITS, type HealthLimits } from "../../fold/health/health-limits.ts";
import { newHealthState } from "../../fold/health/new-health-state.ts";
import type { HealthState } from "../../model/agent/health.ts";
import { observe, type TraceEvent } from "./trace-event.ts";

export interface TraceVerdict {
  readonly health: Assessment["state"];
  readonly pattern: Assessment["pattern"];
  /** The event at which a live supervisor would first have called it stuck or crashed. */
  readonly first_flagged_event: number | null;
  /** The event at which the last such verdict ended. */
  readonly cleared_event: number | null;
  readonly confidence: number;
  readonly evidence: readonly string[];
}

export interface TraceOptions {
  readonly evaluatedAtMs?: number;
  /** False where the clock of the recording is invented. */
  readonly timed: boolean;
  readonly zone: string;
  /** Lines drawn elsewhere than by default. */
  readonly limits?: Partial<HealthLimits>;
}

/** So often time alone is asked between two events; a trace with years between them must not take long. */
const LOOKS_MAX = 12;

/** Assesses a recorded trace as a live supervisor would have assessed it, event by event. */
export function assessTrace(events: readonly TraceEvent[], options: TraceOptions): TraceVerdict {
  const limits: HealthLimits = {
    ...HEALTH_LIMITS,
    ...options.limits,
    timed: options.timed,
    turnEnds: "spoken",
  };
  // Whose turn it is when a recording begins is not known.
  const assessor = new TraceAssessor({ ...newHealthState(events[0]?.t_ms ?? 0), turnSince: null }, limits);
  let now = events[0]?.t_ms ?? 0;
  for (const [index, event] of events.entries()) {
    // Clocks of recordings may step back; time here does not.
    const at = Math.max(now, event.t_ms);
    assessor.lookUntil(now, at, index - 1);
    for (const seen of observe({ ...event, t_ms: at }, options.zone))
      observeSeen(assessor.health, seen, at, limits);
    assessor.look(at, index);
    now = at;
  }
  const end = Math.max(now, options.evaluatedAtMs ?? now);
  assessor.lookUntil(now, end, events.length - 1);
  return assessor.verdict(end);
}

class TraceAssessor {
  readonly health: HealthState;
  readonly #limits: HealthLimits;
  #first: number | null = null;
  #cleared: number | null = null;
  #bad = false;

  constructor(health: HealthState, limits: HealthLimits) {
    this.health = health;
    this.#limits = limits;
  }

  look(now: number, index: number): void {
    const { state } = assess(this.health, now, this.#limits);
    const bad = state === "stuck" || state === "crashed";
    if (bad && this.#first === null) this.#first = Math.max(0, index);
    if (bad !== this.#bad) this.#cleared = bad ? null : Math.max(0, index);
    this.#bad = bad;
  }

  /** Time alone may change the verdict between two events. */
  lookUntil(from: number, to: number, index: number): void {
    let now = from;
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      const next = assessAgainAt(this.health, now, this.#limits);
      if (next === null || next >= to) return;
      this.look(next, index);
      now = next;
    }
  }

  verdict(end: number): TraceVerdict {
    this.look(end, -1);
    const { state, pattern, confidence, evidence } = assess(this.health, end, this.#limits);
    return {
      health: state,
      pattern,
      first_flagged_event: this.#first,
      cleared_event: this.#cleared,
      confidence,
      evidence,
    };
  }
}
