import { z } from "zod";
import { idSchema } from "../ids.ts";
import { event } from "./define-event.ts";
import { budgetSchema } from "../requests/budget.ts";

/** Where in a workflow function something was asked for: the scopes from the outside in, then kind and name. */
const key = idSchema;

/** An error as it is recorded and thrown again. */
export interface ProgramError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
  /** The registered class it is an object of. */
  readonly class?: string | undefined;
  /** Its other members, as far as they are data. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: ProgramError | undefined;
  /** Those that it stands for: of an `AggregateError`. */
  readonly errors?: readonly ProgramError[] | undefined;
}

export const programErrorSchema: z.ZodType<ProgramError> = z.lazy(() =>
  z.object({
    name: z.string(),
    message: z.string(),
    code: z.string().optional(),
    class: z.string().optional(),
    data: z.record(z.string(), z.unknown()).optional(),
    cause: programErrorSchema.optional(),
    errors: z.array(programErrorSchema).optional(),
  }),
);

/** Of what a workflow function failed: its error, and the steps and children whose failures it stands for. */
export const programFailureSchema = z.object({ error: programErrorSchema, keys: z.array(z.string()) });

/** Set where the step was done because the run was cancelled. */
const cleanup = z.literal(true).optional();

/** How a child or a step ended. */
const endedSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("value"), value: z.unknown().optional() }),
  z.object({ kind: z.literal("error"), error: programErrorSchema }),
]);

/** How far the tree of children may grow. */
export const programLimitsSchema = z.strictObject({
  depth: z.number().int().positive().optional(),
  children: z.number().int().positive().optional(),
});

/** Events of runs whose workflow function is a function of the embedding program. */
export const PROGRAM_EVENTS = {
  BodyCreated: event(
    "A run was asked for that is a workflow function of the program that opened the store.",
    () =>
      z.object({
        body: z.string().nullable(),
        /** The version of that workflow function, where it has any. */
        version: z.number().int().optional(),
        input: z.unknown(),
        budget: budgetSchema,
        limits: programLimitsSchema.optional(),
        by: z.string(),
      }),
  ),
  BodyStepIntended: event(
    "A step that must not be done twice is about to be done; without its end it is in doubt.",
    () => z.object({ key, cleanup }),
  ),
  BodyStepEnded: event("A step was done or failed; it is answered from here ever after.", () =>
    z.object({ key, ended: endedSchema, cleanup }),
  ),
  BodyStepTried: event("A step failed and is tried again at that time.", () =>
    z.object({
      key,
      attempt: z.number().int(),
      since: z.number(),
      until: z.number(),
      error: programErrorSchema,
      cleanup,
    }),
  ),
  BodyStepCleared: event("A step that was in doubt or had failed may be done again.", () =>
    z.object({ key, by: z.string() }),
  ),
  BodyDrew: event("A time, a random number or an id was generated.", () =>
    z.object({ key, value: z.union([z.string(), z.number()]) }),
  ),
  BodySlept: event("The workflow function sleeps until then.", () => z.object({ key, until: z.number() })),
  BodyWaited: event("The workflow function waits for a signal of that name.", () =>
    z.object({ key, name: z.string(), until: z.number().nullable() }),
  ),
  BodySignalled: event("A signal came in; signals that nobody waits for yet are queued by name.", () =>
    z.object({ name: z.string(), value: z.unknown() }),
  ),
  BodyWaitEnded: event("A wait took the oldest signal of its name, or ran out of time.", () =>
    z.object({ key, timedOut: z.boolean(), value: z.unknown().optional() }),
  ),
  BodySpawned: event(
    "A child was begun, or begun again after it failed; its budget is reserved from what is around it.",
    () => z.object({ key, input: z.string(), attempt: z.number().int(), budget: budgetSchema.optional() }),
  ),
  BodyChildEnded: event("A child is settled and never run again; what is left of its budget goes back.", () =>
    z.object({ key, ended: endedSchema }),
  ),
  BodyLooped: event(
    "An iteration is committed: what changed in the state, and whether it was the last.",
    () => z.object({ key, i: z.number().int(), patch: z.unknown(), done: z.boolean() }),
  ),
  BodyLogged: event("The workflow function said something for people.", () =>
    z.object({ scope: z.string(), text: z.string() }),
  ),
  BodySpent: event("The workflow function used up a part of its budget.", () =>
    z.object({
      scope: z.string(),
      tokens: z.number(),
      usd: z.number(),
      iterations: z.number(),
      timeMs: z.number().optional(),
      /** Which spending of its scope it is, so that a workflow function that says it again is not charged again. */
      n: z.number().int().optional(),
    }),
  ),
  BodyBudgetSet: event("The budget was changed while the run lived.", () =>
    z.object({ budget: budgetSchema, by: z.string() }),
  ),
} as const;
