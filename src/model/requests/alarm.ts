import { z } from "zod";
import { idSchema } from "../ids.ts";

/** A note for later: it rings once, at a time that stands in the journal and in no timer alone (I5). */
export const alarmSchema = z.object({
  id: idSchema,
  dueAt: z.number(),
  /** It was set for so long from then on, and not for a time of the clock. */
  afterMs: z.number().optional(),
  note: z.string(),
  by: z.string(),
  /** The step whose agent is meant; absent: the one that is at work then. */
  step: idSchema.optional(),
  /** The attempt that set it for itself; absent: a person did. */
  attempt: idSchema.optional(),
  /** A person set it while the run was paused: it goes on when the alarm rings. */
  wakes: z.boolean(),
});
export type Alarm = z.infer<typeof alarmSchema>;

/** Derived, not drawn: the same decision taken again names the same alarm. */
export const alarmId = (run: string, nth: number): string => `${run}.a${String(nth)}`;

/** The run an alarm belongs to; null where the text is no such id. */
export const runOfAlarm = (id: string): string | null => /^(.+)\.a\d+$/.exec(id)?.[1] ?? null;
