import { elapsedMs, type World } from "../../../model/world.ts";
import { pause } from "../../pause.ts";

/**
 * How much of this process's time goes into reading what agents print. A reader works in slices of a few milliseconds.
 * One that has used up its slice waits in a line that all readers of the process share, and its wait is as long as its
 * slice was. So agents that print without end take at most half of the time together, one after the other, and a reader
 * with little to read never waits for them.
 */
export interface ReadingShare {
  /** Work begins, or goes on after somebody else was waited for. */
  begin(): void;
  /** Work stops: time counts as used only between `begin` and this. */
  leave(): void;
  /** Whether the slice is used up. */
  isOver(): boolean;
  /** Everything was read: the next slice is a whole one. */
  rested(): void;
  /** Waits for the next slice, and begins it. */
  turn(): Promise<void>;
}

export const SLICE_MS = 5;
/** A clock that has jumped, or a machine that slept, must not keep anybody waiting. */
const WAIT_MS_MAX = 100;

const lines = new WeakMap<World, Promise<void>>();

export function readingShare(world: World): ReadingShare {
  let begunAt = elapsedMs(world);
  let usedMs = 0;
  const begin = (): void => {
    begunAt = elapsedMs(world);
  };
  const leave = (): void => {
    usedMs += elapsedMs(world) - begunAt;
    begin();
  };
  return {
    begin,
    leave,
    isOver: () => usedMs + elapsedMs(world) - begunAt >= SLICE_MS,
    rested: () => {
      usedMs = 0;
    },
    turn: async () => {
      leave();
      const waitMs = Math.min(Math.max(usedMs, 1), WAIT_MS_MAX);
      // The first pause ends after the slice of the one before, whose time is not to count as waited.
      const mine = (lines.get(world) ?? Promise.resolve())
        .then(() => pause(world, 0))
        .then(() => pause(world, waitMs));
      lines.set(world, mine);
      await mine;
      usedMs = 0;
      begin();
    },
  };
}
