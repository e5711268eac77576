import { z } from "zod";
import { idSchema } from "../ids.ts";
import { event } from "./define-event.ts";
import { stepSchema } from "../flow/flow.ts";

/** What becomes of steps beside being worked. */
export const FLOW_EVENTS = {
  StepDoneByHand: event(
    "A person says that a step's work is done, by hand; it is checked like an agent's.",
    () => z.object({ step: idSchema, attempt: idSchema, number: z.number().int(), by: z.string() }),
  ),
  StepSkipped: event(
    "A step is not to be done: its condition does not hold, or a step that it needs was skipped.",
    () => z.object({ step: idSchema, why: z.string() }),
  ),
  PermissionKept: event(
    "A person answered a permission after the session that asked for it was suspended; the step's next attempt is answered by it when it asks for exactly the same, once.",
    () =>
      z.object({
        step: idSchema,
        what: z.string(),
        allow: z.boolean(),
        by: z.string(),
        note: z.string().optional(),
      }),
  ),
  StepsPlanned: event(
    "An agent has planned: these steps are added to the run, behind the step that planned them.",
    () =>
      z.object({
        step: idSchema,
        steps: z.array(stepSchema),
        commands: z
          .array(z.string())
          .optional()
          .describe("checks that it names and nobody has allowed: its steps wait until a person has"),
      }),
  ),
  StepsReplanned: event(
    "What is not done of a plan is dropped, and its step plans again; what is done stays.",
    () => z.object({ step: idSchema, dropped: z.array(z.string()), feedback: z.string(), by: z.string() }),
  ),
} as const;
