import { z } from "zod";
import { event } from "./define-event.ts";

/** What becomes of steps beside being worked. */
export const FLOW_EVENTS = {
  StepSkipped: event(
    "A step is not to be done: its condition does not hold, or a step that it needs was skipped.",
    z.object({ step: z.string(), why: z.string() }),
  ),
} as const;
