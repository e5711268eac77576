import { jumpsBetween, type ClockReading } from "../../model/host/clock.ts";
import type { SharedResourceState } from "../../model/host/shared-resource.ts";

/** Machines whose clocks are remembered: those that share one store and reported something last. */
const BOOTS_MAX = 16;

/**
 * What runs share is reported by several machines, each by its own wall clock. A moment therefore keeps the boot of the
 * machine that reported it, and moves when the clock of that machine was set or the machine was suspended: a pause is
 * as long as it was to be. A pause whose end was named by the clock stays.
 *
 * Folding a fact and looking at the shared resource do the same with the clocks they were given, so that a jump counts
 * once, no matter who notices it first. Nothing is known across a boot, or of the clocks of another machine.
 */
export function moveSharedResource(state: SharedResourceState, clock: ClockReading): SharedResourceState {
  const before = state.clocks[clock.boot];
  if (before === undefined) return state;
  const byMs = jumpsBetween(before, clock).reduce((sum, jump) => sum + jump.byMs, 0);
  if (byMs === 0) return state;
  const { pause, incident } = state;
  return {
    ...state,
    clocks: { ...state.clocks, [clock.boot]: clock },
    troubles: state.troubles.map((one) => (one.boot === clock.boot ? { ...one, at: one.at + byMs } : one)),
    pause: pause === null || pause.boot !== clock.boot ? pause : movePause(pause, byMs),
    incident:
      incident === null || incident.boot !== clock.boot
        ? incident
        : { ...incident, since: incident.since + byMs, lastAt: incident.lastAt + byMs },
  };
}

function movePause(
  pause: NonNullable<SharedResourceState["pause"]>,
  byMs: number,
): NonNullable<SharedResourceState["pause"]> {
  const reopenedAt = pause.reopenedAt === null ? null : pause.reopenedAt + byMs;
  const until = pause.named === true ? pause.until : pause.until + byMs;
  return { ...pause, since: pause.since + byMs, until, reopenedAt };
}

/** Who reported something last, and what its clocks said. */
export function noteClock(state: SharedResourceState, clock: ClockReading | undefined): void {
  state.boot = clock?.boot;
  if (clock === undefined) return;
  const others = Object.entries(state.clocks).filter(([boot]) => boot !== clock.boot);
  state.clocks = Object.fromEntries([...others.slice(1 - BOOTS_MAX), [clock.boot, clock]]);
}
