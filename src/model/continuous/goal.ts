import { z } from "zod";
import { idSchema } from "../ids.ts";
import { isCron } from "../text/cron.ts";
import type { SpendingKind } from "./spending-kinds.ts";

/** Longer than this is no goal but a document; name it in the goal instead. */
const GOAL_CHARS_MAX = 16_384;
const PRIORITY_MAX = 1_000;
/** Short enough to stand in the ids of runs. */
const GOAL_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** What a goal, or everything that a session spends, may use up; an absent kind is unlimited. */
export const spendingSchema = z.strictObject({
  usd: z.number().positive().optional(),
  tokens: z.number().int().positive().optional(),
  timeMs: z.number().int().positive().optional(),
} satisfies Record<SpendingKind, unknown>);
export type Spending = z.infer<typeof spendingSchema>;

/**
 * How a goal is worked: by whom, and in which steps. Checks are not among it: an agent may be able to write to the
 * intake, and must not choose commands for others to run.
 */
export const goalWorkSchema = z.strictObject({
  agent: z
    .string()
    .min(1)
    .max(300)
    .regex(/^(?!function:)/, "functions are named in the configuration")
    .optional(),
  flow: z.string().min(1).max(4_096).optional(),
  budget: spendingSchema.optional(),
  /** In the folder itself instead of a worktree of its own. */
  inPlace: z.boolean().optional(),
});

/** One occurrence of a goal: its id counts once per session, however often an intake names it. */
export const goalSchema = goalWorkSchema.extend({
  id: idSchema.regex(
    GOAL_ID,
    "an id begins with a letter or digit and holds at most 64 of A-Z a-z 0-9 . _ -",
  ),
  goal: z.string().min(1).max(GOAL_CHARS_MAX),
  /** Higher goes first; equal ones go in the order in which they were read. */
  priority: z.number().int().min(-PRIORITY_MAX).max(PRIORITY_MAX).default(0),
  /** Its words are a goal again and again: so often, from the beginning of the session. */
  everyMs: z.number().int().min(1_000).optional(),
  /** The same by the clock, in UTC: minute, hour, day of the month, month, day of the week. */
  cron: z.string().max(200).refine(isCron, "expected five fields, such as 0 9 * * 1-5").optional(),
});
export type Goal = z.infer<typeof goalSchema>;

/** What an intake held when it was read, and what of it could not be understood. */
export interface ReadIntake {
  readonly goals: readonly Goal[];
  readonly problems: readonly string[];
}
