import { z } from "zod";
import { event } from "./define-event.ts";

export const SCRUBBED_EVENTS_NAMED_MAX = 1_000;

const endSchema = z.object({ seq: z.number().int().nonnegative(), hash: z.string() });

/** Where a file with the value in it could not be cleaned, and why. */
const leftSchema = z.object({ place: z.string(), why: z.string() });

/** What is recorded when a person removes a value from what is kept of a run. Neither says anything about the value. */
export const SCRUB_EVENTS = {
  RunScrubbed: event(
    "A person removed a value from the run: the events named here were changed, and those after the first of them were chained again.",
    () =>
      z.object({
        by: z.string(),
        /** From this event on hashes differ from those before; null where no event was changed. */
        from: z.number().int().positive().nullable(),
        /** Events that held the value, the first of them; `count` is how many there were. */
        events: z.array(z.number().int().positive()).max(SCRUBBED_EVENTS_NAMED_MAX),
        count: z.number().int().nonnegative(),
        /** Requests in the run's inbox that held it. */
        requests: z.number().int().nonnegative(),
        /** The last event before this one: its hash as it was, and as it is since. */
        before: endSchema,
        after: endSchema,
      }),
  ),
  ScrubFinished: event(
    "What was removed is also gone from the files of the run's sessions and from unused parts of the store.",
    () =>
      z.object({
        files: z.number().int().nonnegative(),
        left: z.array(leftSchema).max(100),
      }),
  ),
} as const;
