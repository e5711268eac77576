/**
 * Chooses when queued changes are committed, by what was seen last; it knows no clock and sets no timer.
 *
 * - Alone: the last batch held one change. The next change is committed within the call that asks for it: every
 *   detour costs a lone writer some of its rate. Others asked for in the same tick follow together, after all
 *   promises that can go on have gone on.
 * - Together: the last batch held several, so that more are likely to come from input of this turn of the event
 *   loop. The commit comes at the turn's end and takes all of them.
 *
 * 1. At most `COMMITS_PER_TURN_MAX` commits happen in one turn: a writer that never pauses cannot keep timers and
 *    input of others waiting, and changes that arrive one by one from many inputs soon share a commit.
 */
export interface CommitMoment {
  /** Calls `flush` once: now, or soon. */
  choose(flush: () => void): void;
  committed(changes: number): void;
}

const COMMITS_PER_TURN_MAX = 8;

export function commitMoment(): CommitMoment {
  let together = false;
  let committedThisTick = false;
  let commitsThisTurn = 0;
  const tickEnded = (): void => void (committedThisTick = false);
  const turnEnded = (): void => void (commitsThisTurn = 0);
  return {
    choose(flush) {
      if (together || commitsThisTurn >= COMMITS_PER_TURN_MAX) setImmediate(flush);
      else if (!committedThisTick) flush();
      // A microtask that waits for a tick runs after every microtask of now, those they cause included.
      else queueMicrotask(() => process.nextTick(flush));
    },
    committed(changes) {
      together = changes > 1;
      committedThisTick = true;
      queueMicrotask(tickEnded);
      if (commitsThisTurn === 0) setImmediate(turnEnded);
      commitsThisTurn += 1;
    },
  };
}
