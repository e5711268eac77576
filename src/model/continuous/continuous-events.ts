import { z } from "zod";
import { event } from "../events/define-event.ts";
import { askedSchema, dayUsedSchema } from "../host/store-resource.ts";
import { idSchema } from "../ids.ts";
import { noticeSchema } from "../settings/notice.ts";
import { RUN_STATUSES } from "../state/run-status.ts";
import { continuousSpecSchema, goalSchema, spendingSchema } from "./continuous-spec.ts";

/** Why a run of a session waits for a person, and the words of the command that ends it. */
const waitsSchema = z.object({
  reason: z.string(),
  detail: z.string(),
  command: z.array(z.string()),
});
export type RunWaits = z.infer<typeof waitsSchema>;

/** A start that showed nothing: no output, no use of a model. */
const ghostSchema = z.object({
  /** Equal for starts that failed in the same way but for numbers. */
  fingerprint: z.string(),
  text: z.string(),
  attempts: z.number().int(),
});
export type Ghost = z.infer<typeof ghostSchema>;

export const GOAL_ENDS = [
  "done",
  "failed",
  "cancelled",
  "skipped",
  "ghost_retry_exhausted",
  "not_started",
] as const;
export type GoalEndKind = (typeof GOAL_ENDS)[number];

const CONTINUOUS_ENDS = ["completed", "goal_failed", "session_budget_exhausted", "idle"] as const;
export type ContinuousEndKind = (typeof CONTINUOUS_ENDS)[number];

const spentSchema = z.object({
  usd: z.number(),
  tokens: z.number(),
  turns: z.number(),
  timeMs: z.number(),
});

/** Events of the journals of continuous sessions: they stand in no run's journal. */
export const CONTINUOUS_EVENTS = {
  ContinuousBegun: event(
    "A continuous session was asked for; everything needed to go on with it is recorded here.",
    () => askedSchema.extend({ by: z.string(), spec: continuousSpecSchema }),
  ),
  IntakeRead: event(
    "The intake of a session was read: the goals that are new, and whether the session was idle.",
    () =>
      z.object({
        goals: z.array(goalSchema).max(10_000),
        problems: z.array(z.string()).max(20),
        idle: z.boolean(),
      }),
  ),
  GoalTriggered: event(
    "The time of a goal that comes again and again has come: it is queued once more.",
    () =>
      z.object({
        trigger: idSchema,
        goal: idSchema,
        /** When it was due. */
        dueAt: z.number(),
      }),
  ),
  PlanWanted: event(
    "Nothing is left to do and something has changed: a planner is to be asked for the next goals.",
    () =>
      z.object({
        goal: idSchema,
        /** What it would see; it is not asked again while this is the same. */
        evidence: z.string(),
      }),
  ),
  PlanAnswered: event("A planner has named the next goals; none where it sees nothing to do.", () =>
    z.object({ goal: idSchema, run: idSchema, goals: z.array(goalSchema).max(100) }),
  ),
  GoalIssued: event(
    "A goal is given to a run of its own, which may not exist yet, with what it may spend.",
    () => z.object({ goal: idSchema, run: idSchema, allowance: spendingSchema }),
  ),
  GoalSeen: event("The run of a goal was seen in another state, or to have spent more.", () =>
    z.object({
      goal: idSchema,
      run: idSchema,
      status: z.enum(RUN_STATUSES),
      spent: spentSchema,
      days: z.array(dayUsedSchema),
      waits: waitsSchema.optional(),
      ghost: ghostSchema.optional(),
      failure: z.string().optional(),
    }),
  ),
  GoalReturned: event("A start showed nothing: the goal is issued again, not before the time named.", () =>
    z.object({ goal: idSchema, run: idSchema, ghost: ghostSchema, notBefore: z.number() }),
  ),
  AllowanceRaised: event("A run has spent its part of the session's budget and is given more of it.", () =>
    z.object({ goal: idSchema, run: idSchema, allowance: spendingSchema }),
  ),
  GoalEnded: event("A goal is over: done, or ended by name.", () =>
    askedSchema.extend({
      goal: idSchema,
      end: z.enum(GOAL_ENDS),
      text: z.string(),
      by: z.string().optional(),
    }),
  ),
  RunsAsked: event("Runs of a session are to be asked the same; the request of each counts once.", () =>
    z.object({ what: z.enum(["pause", "resume", "cancel"]), runs: z.array(idSchema).min(1) }),
  ),
  DigestQueued: event(
    "A notice of what a session did in a day is to be sent by each of these channels.",
    () => z.object({ day: z.string(), notice: noticeSchema, channels: z.array(z.string()) }),
  ),
  DigestTried: event("A channel has taken a digest, or it is sent again later, or not any more.", () =>
    z.object({
      id: idSchema,
      channel: z.string(),
      delivered: z.boolean(),
      text: z.string(),
      /** When it is sent again; absent: it is not. */
      notBefore: z.number().optional(),
    }),
  ),
  ContinuousPaused: event(
    "The session starts nothing more until it is resumed, or what blocks it is cleared.",
    () =>
      askedSchema.extend({
        why: z.enum(["operator", "blocked"]),
        by: z.string().optional(),
        run: idSchema.optional(),
      }),
  ),
  ContinuousResumed: event("The session goes on where it was.", () =>
    askedSchema.extend({ why: z.enum(["operator", "unblocked"]), by: z.string().optional() }),
  ),
  ContinuousStopped: event("Somebody stopped the session: nothing starts, and runs at work are paused.", () =>
    askedSchema.extend({ by: z.string() }),
  ),
  ContinuousEnded: event("The session is over.", () =>
    z.object({ end: z.enum(CONTINUOUS_ENDS), text: z.string(), left: z.array(z.string()) }),
  ),
} as const;
