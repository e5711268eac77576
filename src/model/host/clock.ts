import { z } from "zod";
import { event } from "../events/define-event.ts";

/**
 * What the clocks of a machine say at one instant. `runMs` and `upMs` count since its boot; the first stands still while
 * the machine is suspended, and neither is ever set. They mean something only beside others of the same boot.
 */
export const clockReadingSchema = z.object({
  boot: z.string(),
  /** The wall clock. */
  at: z.number(),
  runMs: z.number(),
  upMs: z.number(),
});
export type ClockReading = z.infer<typeof clockReadingSchema>;

/** `frozen`: the agents of the run were, since nobody could supervise them. */
export const CLOCK_JUMPS = ["set", "suspended", "frozen"] as const;

export interface ClockJump {
  /** How far the wall clock has moved beyond the time that passed for what runs on the machine. */
  readonly byMs: number;
  readonly cause: (typeof CLOCK_JUMPS)[number];
}

/** Less is the work of the one that keeps a clock right, and no duration here is so short that it would matter. */
export const JUMP_MS_MIN = 5_000;

/** What happened to the wall clock between two readings; nothing is known across a boot. */
export function jumpsBetween(before: ClockReading, now: ClockReading): readonly ClockJump[] {
  if (before.boot !== now.boot || now.runMs < before.runMs) return [];
  const ranMs = now.runMs - before.runMs;
  const suspendedMs = Math.round(now.upMs - before.upMs - ranMs);
  const slept: ClockJump[] = suspendedMs < JUMP_MS_MIN ? [] : [{ byMs: suspendedMs, cause: "suspended" }];
  const setMs = Math.round(now.at - before.at - ranMs - (slept.length > 0 ? suspendedMs : 0));
  return Math.abs(setMs) < JUMP_MS_MIN ? slept : [...slept, { byMs: setMs, cause: "set" }];
}

export const CLOCK_EVENTS = {
  ClockJumped: event(
    "The wall clock was set, or the machine was suspended or the agents frozen: durations go on as if it had not, appointments follow it.",
    () =>
      z.object({
        /** How far the wall clock moved beyond the time that passed. */
        byMs: z.number().int(),
        cause: z.enum(CLOCK_JUMPS),
        clock: clockReadingSchema.optional(),
      }),
  ),
} as const;

/** What a run knows of the clocks of its machine. */
export interface ClockState {
  /** When the run was claimed, or when they last jumped; null where that is not known. */
  clockRead: ClockReading | null;
  /** The last time that the wall clock was set or the machine was suspended. */
  clockJumped: (ClockJump & { readonly at: number }) | null;
}
