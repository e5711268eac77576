import { z } from "zod";
import { continuousBudgetSchema, goalWorkSchema } from "../continuous/continuous-spec.ts";
import { isBelow } from "../effects/artifact.ts";
import { idSchema } from "../ids.ts";

/** A mission's journal stands under this address, beside those of what runs share. */
const PREFIX = "mission:";
export const missionAddress = (name: string): string => `${PREFIX}${name}`;
export const missionName = (address: string): string | null =>
  address.startsWith(PREFIX) ? address.slice(PREFIX.length) : null;

/** Short enough to begin the ids of its runs. */
export const MISSION_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;

const TEXT_CHARS_MAX = 16_384;
const PART_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;
const partId = idSchema.regex(
  PART_ID,
  "an id begins with a letter or digit and holds at most 40 of A-Z a-z 0-9 _ -",
);
const ids = z.array(partId).max(100);
const checks = z.array(z.string().min(1).max(4_096)).max(50);
const artifactPath = z
  .string()
  .min(1)
  .max(400)
  .refine(isBelow, "a path below the repository, without . or ..");

/** A repository as it was found when the mission began. */
const missionRepositorySchema = z.strictObject({
  /** The folder of it here: the user's own, or a clone that was made for the mission. */
  path: z.string(),
  /** Where it was cloned from. */
  url: z.string().optional(),
  branch: z.string(),
  commit: z.string(),
});
export type MissionRepository = z.infer<typeof missionRepositorySchema>;

/** Part of the work, in one repository, done by a run of its own. */
const workstreamSchema = goalWorkSchema.omit({ inPlace: true }).extend({
  id: partId,
  repository: partId,
  goal: z.string().min(1).max(TEXT_CHARS_MAX),
  /** Workstreams and barriers that come before it. */
  needs: ids.default([]),
  checks: checks.optional(),
  /** Files that it delivers; those that need it, directly or through others, are given them. */
  artifacts: z.array(artifactPath).max(50).default([]),
  /** One of its files, whose words every later workstream is given. */
  decisions: artifactPath.optional(),
});
export type Workstream = z.infer<typeof workstreamSchema>;

/** A value in an artifact that has to be as named. */
const conditionSchema = z.strictObject({
  workstream: partId,
  artifact: artifactPath,
  /** A JSON pointer. */
  at: z.string().max(400),
  is: z.union([z.string(), z.number(), z.boolean(), z.null()]),
});

/** Opens once of its workstreams all, any, or those named are done, its conditions hold, and a person lets it pass where wanted. */
const barrierSchema = z.strictObject({
  of: ids.min(1),
  when: z.union([z.enum(["all", "any"]), ids.min(1)]).default("all"),
  if: z.array(conditionSchema).max(20).default([]),
  approval: z.boolean().default(false),
});
export type Barrier = z.infer<typeof barrierSchema>;

const shared = {
  /** Words that every workstream is given. */
  context: z.string().max(TEXT_CHARS_MAX).optional(),
  decisions: z.array(z.string().min(1).max(4_096)).max(100).default([]),
  barriers: z.record(partId, barrierSchema).default({}),
  /** In which order work is accepted; that of the needs where left out. */
  order: ids.optional(),
  agent: goalWorkSchema.shape.agent,
  flow: goalWorkSchema.shape.flow,
  checks: checks.optional(),
  budget: continuousBudgetSchema.omit({ day: true }).default({}),
  concurrency: z.number().int().min(1).max(32).default(2),
  workstreams: z.array(workstreamSchema).min(1).max(100),
};

/** A mission's file: repositories by path or URL. */
export const missionFileSchema = z.strictObject({
  ...shared,
  repositories: z.record(
    partId,
    z.union([
      z.string().min(1),
      z.strictObject({ path: z.string().min(1) }),
      z.strictObject({ url: z.string().min(1) }),
    ]),
  ),
});
export type MissionFile = z.infer<typeof missionFileSchema>;

/** Everything that is needed to go on with a mission. */
export const missionSpecSchema = z.strictObject({
  ...shared,
  repositories: z.record(partId, missionRepositorySchema),
  order: ids,
  cwd: z.string(),
  config: z.string().optional(),
});
export type MissionSpec = z.infer<typeof missionSpecSchema>;
