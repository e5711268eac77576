import { decide, isAtRest } from "../decide/decide.ts";
import { isLeftAlone, wakesByItself } from "../decide/attempt/quarantine.ts";
import { nextDeadline } from "../decide/dispatch/deadlines.ts";
import { evolve } from "../fold/evolve.ts";
import type { AppendOrder } from "../journal/journal.ts";
import type { RunEvent } from "../model/events/events.ts";
import { invariant } from "../model/fault.ts";
import type { RunState } from "../model/state/run-state.ts";
import { isWorking } from "../model/state/run-status.ts";
import type { Ports } from "./ports.ts";

/** No real run comes near it; a rule that never falls silent does (I7). */
const DECISIONS_MAX = 100_000;

/**
 * One turn without its await: folds what was received, decides until nothing follows, and returns all of it for one
 * append (I1). The state is changed in place: if the append is refused the caller must throw the state away.
 */
export function takeTurn(
  state: RunState,
  received: readonly RunEvent[],
  now: number,
  decideWith: typeof decide = decide,
): RunEvent[] {
  const events: RunEvent[] = [];
  const fold = (event: RunEvent): void => {
    events.push(event);
    evolve(state, event, { run: state.run, seq: state.seq + 1, at: now });
  };
  for (const event of received) if (!isOutlived(state, event)) fold(event);
  for (let decisions = decideWith(state, now); decisions.length > 0; decisions = decideWith(state, now)) {
    decisions.forEach(fold);
    invariant(events.length < DECISIONS_MAX, `a turn of ${state.run} does not come to an end`);
  }
  return events;
}

/** A turn of a run that is owned; whose it is stands on disk until it is decided. */
export function takeTurnOf(
  { deaths, decideWith }: Pick<Ports, "deaths" | "decideWith">,
  turn: { readonly state: RunState; readonly received: readonly RunEvent[]; readonly now: number },
): RunEvent[] {
  const decided = (): RunEvent[] => takeTurn(turn.state, turn.received, turn.now, decideWith);
  return deaths === undefined ? decided() : deaths.turn(turn.state.run, decided);
}

/** An outcome that comes in after its effect was given up settles nothing: an effect settles once. */
const isOutlived = ({ effects }: RunState, event: RunEvent): boolean =>
  (event.type === "EffectSettled" || event.type === "EffectDelayed") &&
  !Object.hasOwn(effects, event.data.key);

/** The append that makes a turn durable. */
export const turnAppend = (
  state: RunState,
  events: readonly RunEvent[],
  turn: { epoch: number; now: number; consumed: readonly string[] },
): AppendOrder => ({
  run: state.run,
  expected: state.seq - events.length,
  epoch: turn.epoch,
  at: turn.now,
  events,
  consumed: turn.consumed,
  listing: { status: state.status, goal: state.goal, wakeAt: wholeTime(wakeAt(state, turn.now)) },
});

/** Everything a deadline was made of: a store holds whole milliseconds, and a run it refuses to hold would be lost. */
const wholeTime = (time: number | null): number | null =>
  time === null ? null : Math.min(Math.ceil(time), Number.MAX_SAFE_INTEGER);

/**
 * A run that waits for somebody and is in the middle of something (a notice, a session) must be found if its owner
 * dies. One that a shutdown paused is for the next supervisor, not for those that live: its time is not to come. One
 * whose supervisor went away is for any.
 */
const wakeAt = (state: RunState, now: number): number | null => {
  if (isLeftAlone(state)) return null;
  if (wakesByItself(state)) return state.stop === "supervisor_restart" ? now + 1 : now;
  return isWorking(state.status) || state.kind === "program" || isAtRest(state, now)
    ? nextDeadline(state, now)
    : state.status === "paused"
      ? now + 1
      : now;
};
