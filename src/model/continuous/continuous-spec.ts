import { z } from "zod";
import { goalWorkSchema, spendingSchema } from "./goal.ts";

/** A session's journal stands under this address, beside those of what runs share. */
const PREFIX = "continuous:";
export const continuousAddress = (name: string): string => `${PREFIX}${name}`;
export const continuousName = (address: string): string | null =>
  address.startsWith(PREFIX) ? address.slice(PREFIX.length) : null;

/** Short enough to begin the ids of its runs. */
export const CONTINUOUS_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

/** Where goals come from. */
const intakeSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("file"), path: z.string() }),
  z.strictObject({ kind: z.literal("folder"), path: z.string() }),
  z.strictObject({ kind: z.literal("command"), command: z.string() }),
]);
export type Intake = z.infer<typeof intakeSchema>;

const positiveCount = z.number().int().positive().optional();

/** Includes everything that the runs of the session spend. */
const continuousBudgetSchema = spendingSchema.extend({
  runs: positiveCount,
  /** For one day (UTC); the session waits for the next one. */
  day: spendingSchema.extend({ runs: positiveCount }).optional(),
});
export type ContinuousBudget = z.infer<typeof continuousBudgetSchema>;

const BLOCKED_POLICIES = ["pause", "continue"] as const;
const FAILED_POLICIES = ["stop", "skip"] as const;
const IDLE_POLICIES = ["end", "wait", "poll"] as const;
/** A start that shows nothing is issued again so often at most. */
const GHOST_RETRIES_MAX = 3;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const idleSchema = z.strictObject({
  policy: z.enum(IDLE_POLICIES).default("end"),
  everyMs: z
    .number()
    .int()
    .min(1)
    .default(5 * MINUTE_MS),
  maxMs: z.number().int().min(1).default(HOUR_MS),
  rounds: z.number().int().min(1).optional(),
});

const ghostsSchema = z.strictObject({
  retries: z.number().int().min(0).max(GHOST_RETRIES_MAX).default(GHOST_RETRIES_MAX),
  baseMs: z.number().int().min(1).default(MINUTE_MS),
  maxMs: z.number().int().min(1).default(HOUR_MS),
});

/** How a session works, whatever its goals are. */
export const continuousPoliciesSchema = goalWorkSchema.omit({ budget: true }).extend({
  /** Commands that must pass before the work of a goal counts as done. */
  checks: z.array(z.string().min(1).max(4_096)).max(50).optional(),
  budget: continuousBudgetSchema.default({}),
  concurrency: z.number().int().min(1).max(32).default(1),
  onBlocked: z.enum(BLOCKED_POLICIES).default("pause"),
  onFailed: z.enum(FAILED_POLICIES).default("stop"),
  idle: idleSchema.prefault({}),
  ghosts: ghostsSchema.prefault({}),
});

/** Everything that is needed to go on with a session. */
export const continuousSpecSchema = continuousPoliciesSchema.extend({
  intake: intakeSchema,
  cwd: z.string(),
  /** The file of the configuration, where it is not the one that is found. */
  config: z.string().optional(),
});
export type ContinuousSpec = z.infer<typeof continuousSpecSchema>;
