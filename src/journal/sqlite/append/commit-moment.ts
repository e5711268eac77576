/**
 * Chooses when queued changes are committed, by what was seen last; no change ever waits for a timer.
 *
 * - Alone: the last batch held one change. The next change is committed within the call that asks for it: every
 *   detour costs a lone writer some of its rate. Others asked for in the same tick follow together, after all
 *   promises that can go on have gone on.
 * - Together: the last batch held several, so that more are likely to come from input of this turn of the event
 *   loop. The commit comes at the turn's end and takes all of them.
 *
 * 1. After `TURN_MS_MAX` of one turn the commit comes at its end in any case: a writer that never pauses cannot
 *    keep timers and input of others waiting, and changes that arrive one by one from many inputs soon share a
 *    commit. A turn per commit would cost a lone writer a tenth of its rate.
 */
export interface CommitMoment {
  /** Whether `choose` would call its flush now. */
  isNow(): boolean;
  /** Calls `flush` once: now, or soon. */
  choose(flush: () => void): void;
  committed(changes: number): void;
}

const TURN_MS_MAX = 4;

/** A reaction to it is a microtask that costs a fraction of what `queueMicrotask` does. */
const NOW = Promise.resolve();

export function commitMoment(): CommitMoment {
  let together = false;
  let committedThisTick = false;
  let turnBeganMs: number | null = null;
  const tickEnded = (): void => void (committedThisTick = false);
  const turnEnded = (): void => void (turnBeganMs = null);
  const isTurnLong = (): boolean => {
    const nowMs = performance.now();
    if (turnBeganMs === null) {
      turnBeganMs = nowMs;
      setImmediate(turnEnded);
    }
    return nowMs - turnBeganMs >= TURN_MS_MAX;
  };
  return {
    isNow: () => !together && !committedThisTick && !isTurnLong(),
    choose(flush) {
      if (together || isTurnLong()) setImmediate(flush);
      else if (!committedThisTick) flush();
      // A microtask that waits for a tick runs after every microtask of now, those they cause included.
      else queueMicrotask(() => process.nextTick(flush));
    },
    committed(changes) {
      together = changes > 1;
      committedThisTick = true;
      void NOW.then(tickEnded);
    },
  };
}
