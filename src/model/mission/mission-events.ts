import { z } from "zod";
import { spendingSchema } from "../continuous/continuous-spec.ts";
import { event } from "../events/define-event.ts";
import { askedSchema } from "../host/store-resource.ts";
import { idSchema } from "../ids.ts";
import { missionSpecSchema } from "./mission-spec.ts";

/** A declared file of a workstream, kept by its digest. */
const missionArtifactSchema = z.object({ path: z.string(), digest: idSchema, bytes: z.number().int() });
export type MissionArtifact = z.infer<typeof missionArtifactSchema>;

const handedSchema = missionArtifactSchema.extend({ from: idSchema });
export type HandedOn = z.infer<typeof handedSchema>;

/** What a workstream has come to. */
const workSchema = z.object({
  /** Its last commit; null where it has changed nothing. */
  commit: z.string().nullable(),
  /** The commit that it was begun on. */
  from: z.string().nullable(),
  artifacts: z.array(missionArtifactSchema).max(100),
  /** The words of its decisions. */
  decisions: z.string().nullable(),
  /** What conditions of barriers look at: by path of the artifact and JSON pointer. */
  values: z.record(z.string(), z.unknown()),
});
export type FinishedWork = z.infer<typeof workSchema>;

/** Why a workstream did not come to its end, and whether another try may. */
export const FAILED_KINDS = ["failed", "cancelled", "not_started"] as const;
export type FailedKind = (typeof FAILED_KINDS)[number];

/** Why an acceptance goes no further. */
const ACCEPTANCE_BLOCKS = [
  "repository_missing",
  "branch_switched",
  "history_rewritten",
  "repository_dirty",
  "work_missing",
  "work_changed",
  "merge_conflict",
  "accept_refused",
] as const;

const blockSchema = z.object({
  kind: z.enum(ACCEPTANCE_BLOCKS),
  repository: idSchema,
  workstream: idSchema.optional(),
  detail: z.string(),
  /** What ends it, as words of a shell. */
  command: z.string(),
});
export type AcceptanceBlock = z.infer<typeof blockSchema>;

const plannedSchema = z.object({
  workstream: idSchema,
  repository: idSchema,
  commit: z.string(),
  how: z.enum(["already", "fast_forward", "merge"]),
});
export type PlannedAcceptance = z.infer<typeof plannedSchema>;

const standSchema = z.object({ branch: z.string(), commit: z.string() });

/** Why an autopilot starts nothing more. */
export const AUTOPILOT_STOPS = [
  "ready_to_accept",
  "workstream_failed",
  "retries_exhausted",
  "retry_unsafe",
  "barrier_held",
  "nothing_ready",
  "budget_exhausted",
  "operator",
] as const;
export type AutopilotStop = (typeof AUTOPILOT_STOPS)[number];

export const autopilotSchema = z.object({
  autoRetry: z.boolean(),
  /** So often per workstream, and in all. */
  retries: z.number().int().min(0).max(100),
  missionRetries: z.number().int().min(0).max(1_000),
  continueOnFailure: z.boolean(),
});
export type Autopilot = z.infer<typeof autopilotSchema>;

const byWhom = askedSchema.extend({ by: z.string() });

/** Events of the journals of missions: they stand in no run's journal. Runs are seen, asked and paid as in a session. */
export const MISSION_EVENTS = {
  MissionBegun: event("A mission was asked for; everything needed to go on with it is recorded here.", () =>
    byWhom.extend({ spec: missionSpecSchema }),
  ),
  WorkstreamLaunched: event(
    "A workstream is given to a run of its own, which may not exist yet, with what it may spend and is handed.",
    () =>
      byWhom.extend({
        workstream: idSchema,
        run: idSchema,
        allowance: spendingSchema,
        /** Null where a person launched it. */
        wave: z.number().int().nullable(),
        retry: z.boolean(),
        /** Work in the same repository that it begins on. */
        on: z.array(z.string()).max(100),
        handed: z.array(handedSchema).max(1_000),
      }),
  ),
  WorkstreamFinished: event("A workstream is done, and its checks have passed.", () =>
    z.object({
      workstream: idSchema,
      run: idSchema,
      work: workSchema,
      /** Its run got there after it had counted as failed. */
      late: z.literal(true).optional(),
    }),
  ),
  WorkstreamFailed: event("A workstream did not come to its end; it may be launched again.", () =>
    z.object({ workstream: idSchema, run: idSchema, end: z.enum(FAILED_KINDS), text: z.string() }),
  ),
  WorkstreamSkipped: event("A workstream is left out.", () => byWhom.extend({ workstream: idSchema })),
  BarrierOpened: event("A barrier is open: what needs it may begin.", () =>
    askedSchema.extend({ barrier: idSchema, by: z.string().optional() }),
  ),
  AutopilotSet: event("The mission launches what is ready by itself, in waves.", () =>
    byWhom.extend({ autopilot: autopilotSchema }),
  ),
  AutopilotStopped: event("The autopilot starts nothing more, and why.", () =>
    z.object({ reason: z.enum(AUTOPILOT_STOPS), text: z.string() }),
  ),
  WaveBegun: event("A wave of workstreams that are ready.", () =>
    z.object({ wave: z.number().int(), workstreams: z.array(idSchema).min(1) }),
  ),
  MissionApproved: event("A person has approved the work of all workstreams together.", () =>
    byWhom.extend({ digest: z.string(), work: z.record(idSchema, z.string()) }),
  ),
  AcceptancePrepared: event(
    "Every repository was looked at, and every piece of work can be taken in: from now on it only goes forward.",
    () => z.object({ plan: z.array(plannedSchema).max(100), repositories: z.record(idSchema, standSchema) }),
  ),
  AcceptanceHeld: event("The acceptance goes no further until somebody does something.", () =>
    z.object({ block: blockSchema }),
  ),
  AcceptanceAsked: event(
    "The run of a workstream is asked to have its work taken in; the request counts once.",
    () => z.object({ workstream: idSchema, run: idSchema, after: z.number().int(), bring: z.boolean() }),
  ),
  WorkstreamAccepted: event("The work of a workstream is in its repository's branch.", () =>
    z.object({
      workstream: idSchema,
      commit: z.string(),
      into: z.string(),
      how: z.enum(["fast_forward", "merge", "already"]),
      /** The repository had it before the mission knew. */
      found: z.literal(true).optional(),
    }),
  ),
  AcceptanceLost: event("A repository does not hold work any more that was accepted there.", () =>
    askedSchema.extend({ workstream: idSchema, text: z.string(), by: z.string().optional() }),
  ),
  MissionReplanned: event(
    "A person has replaced what is left of the mission after a failure; what is done or at work stays.",
    () =>
      byWhom.extend({
        spec: missionSpecSchema,
        /** Workstreams that had not come to their end and are not in the new plan. */
        dropped: z.array(idSchema).max(100),
      }),
  ),
  WorkPushed: event(
    "A person had the branch of a repository, with the work that was accepted there, pushed to where it was cloned from.",
    () => byWhom.extend({ repository: idSchema, commit: z.string() }),
  ),
  MissionPaused: event("The mission launches nothing until it is resumed.", () => byWhom),
  MissionResumed: event("The mission goes on where it was.", () => byWhom),
  MissionStopped: event(
    "Somebody stopped the mission: nothing starts, and runs at work are paused.",
    () => byWhom,
  ),
  MissionEnded: event("The mission is over: all of its work is accepted, or was left out.", () =>
    z.object({ text: z.string() }),
  ),
} as const;
