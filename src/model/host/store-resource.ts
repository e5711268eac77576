import { z } from "zod";
import { event } from "../events/define-event.ts";

/** Who sets a budget of the day that stands in a configuration. */
export const CONFIGURED = "the configuration";

export const dayBudgetSchema = z.strictObject({
  usd: z
    .number()
    .positive()
    .optional()
    .describe("dollars that all runs of a store may spend in one day (UTC)"),
  tokens: z.number().int().positive().optional().describe("tokens that they may use in one day (UTC)"),
});
export type DayBudget = z.infer<typeof dayBudgetSchema>;

/** The last stop of the store; over once `startedAt` is set. */
export const storeStopSchema = z.object({
  at: z.number(),
  by: z.string(),
  startedAt: z.number().nullable(),
});
export type StoreStop = z.infer<typeof storeStopSchema>;

/** A budget of the day, and what all runs have reported of that day so far. */
export const daySpentSchema = z.object({
  budget: dayBudgetSchema,
  day: z.string(),
  usd: z.number(),
  tokens: z.number(),
  /** As a configuration last named it. */
  configured: dayBudgetSchema.optional(),
});
export type DaySpent = z.infer<typeof daySpentSchema>;

/** What one run has used on one day, and has not reported before. */
export const dayUsedSchema = z.object({ day: z.string(), usd: z.number(), tokens: z.number() });
export type DayUsed = z.infer<typeof dayUsedSchema>;

/** What a run has used today, for the budget that all runs of its store share. */
export interface SpentToday {
  readonly day: string;
  usd: number;
  tokens: number;
  /** What was reported of it, and when; and what of that has arrived. */
  reported: { usd: number; tokens: number };
  arrived: { usd: number; tokens: number };
  reportedAt: number;
}

/** By which request it was asked for, and from where, as far as that was not the command line. */
export const askedSchema = z.object({
  request: z.string().max(300).optional(),
  via: z.string().max(300).optional(),
});
export type Asked = z.infer<typeof askedSchema>;

export const STORE_EVENTS = {
  StoreStopped: event("Somebody stopped the store: every session is suspended and nothing starts.", () =>
    askedSchema.extend({ by: z.string() }),
  ),
  StoreStarted: event("Somebody started the store again: its runs continue.", () =>
    askedSchema.extend({ by: z.string() }),
  ),
  DayBudgetSet: event("What all runs of the store may spend together in one day was set.", () =>
    askedSchema.extend({ budget: dayBudgetSchema, by: z.string() }),
  ),
  RollbackAccepted: event(
    "Somebody accepted that the store is older than its anchor: the events named are lost.",
    () =>
      z.object({
        by: z.string(),
        anchor: z.string(),
        /** What the anchor named, and up to which event the store holds the run. */
        lost: z
          .array(
            z.object({ run: z.string(), seq: z.number().int(), hash: z.string(), found: z.number().int() }),
          )
          .max(1_000),
      }),
  ),
} as const;
