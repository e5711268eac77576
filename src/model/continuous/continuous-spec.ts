import { z } from "zod";
import { channelSpecSchema } from "../settings/notice.ts";
import { idSchema } from "../ids.ts";
import { isCron } from "../text/cron.ts";

/** Apart from its schema, so that pages that only describe events load none. */
export const SPENDING_KINDS = ["usd", "tokens", "timeMs"] as const;
export type SpendingKind = (typeof SPENDING_KINDS)[number];

/** So much of each. */
export type SpentAmounts = Record<SpendingKind, number>;

/** Longer than this is no goal but a document; name it in the goal instead. */
export const GOAL_CHARS_MAX = 16_384;
export const PRIORITY_MAX = 1_000;
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

/** What became of a goal, as a planner gets it. */
export interface EndedGoal {
  readonly goal: string;
  readonly kind: string;
  readonly text: string;
}

/** What an intake held when it was read, and what of it could not be understood. */
export interface ReadIntake {
  readonly goals: readonly Goal[];
  readonly problems: readonly string[];
  /** Of the vision file and the repository, where a planner goes by them: what it sees, as a digest. */
  readonly evidence?: string;
}

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
export const continuousBudgetSchema = spendingSchema.extend({
  runs: positiveCount,
  /** For one day (UTC); the session waits for the next one. */
  day: spendingSchema.extend({ runs: positiveCount }).optional(),
});
export type ContinuousBudget = z.infer<typeof continuousBudgetSchema>;

const BLOCKED_POLICIES = ["pause", "continue"] as const;
const FAILED_POLICIES = ["stop", "skip"] as const;
const IDLE_POLICIES = ["end", "wait", "poll", "plan"] as const;
/** A start that shows nothing is issued again so often at most. */
const GHOST_RETRIES_MAX = 3;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const idleSchema = z
  .strictObject({
    policy: z.enum(IDLE_POLICIES).default("end"),
    everyMs: z
      .number()
      .int()
      .min(1)
      .default(5 * MINUTE_MS),
    maxMs: z.number().int().min(1).default(HOUR_MS),
    rounds: z.number().int().min(1).optional(),
    /** What the planner goes by: a text file. */
    vision: z.string().min(1).max(4_096).optional(),
    /** The agent that plans, where it is not that of the session. */
    planner: goalWorkSchema.shape.agent,
  })
  .refine(({ policy, vision }) => policy !== "plan" || vision !== undefined, {
    path: ["vision"],
    message: "expected the file that the planner goes by, such as VISION.md",
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
  /** Where the digest of each day goes, as configured when the session began. */
  notify: z
    .object({
      channels: z.record(z.string(), channelSpecSchema),
      tries: z.number().int().positive(),
      retryMs: z.number(),
      retryCapMs: z.number(),
    })
    .optional(),
  /** The file of the configuration, where it is not the one that is found. */
  config: z.string().optional(),
});
export type ContinuousSpec = z.infer<typeof continuousSpecSchema>;
