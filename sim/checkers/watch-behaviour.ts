import { toSignal } from "../../src/agents/to-signal.ts";
import { assess, assessAgainAt } from "../../src/decide/health/health-assess.ts";
import { observeSeen } from "../../src/fold/health/health-observe.ts";
import { HEALTH_LIMITS } from "../../src/fold/health/health-limits.ts";
import { newHealthState } from "../../src/fold/health/new-health-state.ts";
import { observeSignal } from "../../src/fold/attempt/observe-signal.ts";
import type { HealthName, HealthState, Pattern } from "../../src/model/agent/health.ts";
import { word, type Act, type Behaviour } from "../agents/health-zoo.ts";

export interface Recognised {
  readonly state: HealthName;
  readonly pattern: Pattern | null;
  /** Since the behaviour began. */
  readonly afterMs: number;
}

/** Some honest work: whoever is stuck from the first second on was never at work. */
function* honestWork(): Iterable<Act> {
  for (let round = 0; round < 6; round += 1)
    yield {
      afterMs: 10_000,
      signals: [
        { kind: "tool_call", name: "bash", args: `look at ${word(round + 5_000)}` },
        { kind: "tool_result", name: "bash", ok: true, text: `saw ${word(round + 5_000)}` },
      ],
    };
}

/** When an agent that behaves so is first called stuck, as time goes by; null where it never is within `forMs`. */
export function recognise(behaviour: Behaviour, forMs: number): Recognised | null {
  const health = newHealthState(0);
  let now = 0;
  for (const act of honestWork()) now = take(health, act, now);
  const began = now;
  const end = began + forMs;
  for (const act of behaviour.acts()) {
    const at = Math.min(now + act.afterMs, end);
    const found = lookUntil(health, now, at) ?? null;
    if (found !== null) return { ...found, afterMs: found.afterMs - began };
    if (at === end) return null;
    now = take(health, act, now);
    const seen = look(health, now);
    if (seen !== null) return { ...seen, afterMs: now - began };
  }
  const last = lookUntil(health, now, end);
  return last === null ? null : { ...last, afterMs: last.afterMs - began };
}

function take(health: HealthState, { afterMs, signals = [], seen = [] }: Act, now: number): number {
  const at = now + afterMs;
  for (const signal of signals) {
    const observed = observeSignal(toSignal(signal), health, at);
    if (observed !== null) observeSeen(health, observed, at, HEALTH_LIMITS);
  }
  for (const observed of seen) observeSeen(health, observed, at, HEALTH_LIMITS);
  return at;
}

function look(health: HealthState, at: number): Recognised | null {
  const { state, pattern } = assess(health, at, HEALTH_LIMITS);
  return state === "stuck" || state === "crashed" ? { state, pattern, afterMs: at } : null;
}

/** Time alone may show it. */
function lookUntil(health: HealthState, from: number, to: number): Recognised | null {
  let now = from;
  for (;;) {
    const next = assessAgainAt(health, now, HEALTH_LIMITS);
    if (next === null || next > to) return null;
    const found = look(health, next);
    if (found !== null) return found;
    now = next;
  }
}
