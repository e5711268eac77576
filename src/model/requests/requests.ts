import { z } from "zod";
import { made } from "../values/made.ts";
import { checkpointNoteSchema } from "../effects/checkpoint.ts";
import { REISSUE_REASONS } from "../state/drift.ts";
import { bindingsSchema } from "../flow/bindings.ts";
import { budgetSchema } from "./budget.ts";
import { agentSpecSchema } from "../flow/flow.ts";
import { idSchema, nameSchema } from "../ids.ts";
import { DROPPED } from "../effects/workspace-effects.ts";

/** What people and programs may ask of a run. It enters through the inbox and is answered in the journal. */
const requestVariants = [
  () => z.object({ kind: z.literal("pause") }),
  () =>
    z.object({
      kind: z.literal("resume"),
      /** Another agent continues: a step is given to it as by `handoff`. */
      to: nameSchema.optional(),
      spec: agentSpecSchema.optional(),
      step: idSchema.optional(),
      files: z.array(z.string()).max(100).optional(),
    }),
  () => z.object({ kind: z.literal("cancel") }),
  () =>
    z.object({
      kind: z.literal("retry"),
      step: idSchema.optional(),
      /** What the configuration and the flow's file say at the time of asking, or why they could not be read. */
      bindings: bindingsSchema.optional(),
      unread: z.string().optional(),
    }),
  () => z.object({ kind: z.literal("reopen") }),
  () =>
    z.object({
      kind: z.literal("approve"),
      gate: idSchema.optional(),
      note: z.string().optional(),
      /** What is approved, as it was shown. */
      digest: z.string().optional(),
      /** The question that is answered; where it is not open any more, nothing is. */
      escalation: idSchema.optional(),
      /** Who says so: a user's name, or `agent:ATTEMPT`. */
      who: z.string().optional(),
    }),
  /** Sends what waits for approval back to be worked again. */
  () =>
    z.object({
      kind: z.literal("reject"),
      gate: idSchema.optional(),
      note: z.string(),
      escalation: idSchema.optional(),
      who: z.string().optional(),
    }),
  () => z.object({ kind: z.literal("unblock"), escalation: idSchema, note: z.string().optional() }),
  /** Stops the run for an operator to look at. */
  () => z.object({ kind: z.literal("escalate"), step: idSchema.optional(), note: z.string() }),
  /** Words for the agent at work, or for its next attempt. */
  () =>
    z.object({
      kind: z.literal("tell"),
      text: z.string(),
      step: idSchema.optional(),
      /** Ends the turn of an agent that accepts no messages at work, and continues its conversation with the text. */
      now: z.boolean().optional(),
    }),
  /** What an agent at work says of itself beside what it prints: how far it is, or what only a person can answer. */
  () =>
    z.object({
      kind: z.literal("report"),
      attempt: idSchema,
      say: z.enum(["progress", "question"]),
      text: z.string().max(4_096),
      pct: z.number().min(0).max(100).optional(),
    }),
  /** A note for a later time, of a person or of the attempt that is named. */
  () =>
    z.object({
      kind: z.literal("alarm"),
      dueAt: z.number(),
      /** So long from when it was asked, where that and no time of the clock was asked for. */
      afterMs: z.number().optional(),
      note: z.string(),
      step: idSchema.optional(),
      attempt: idSchema.optional(),
    }),
  () => z.object({ kind: z.literal("cancel_alarm"), alarm: z.string(), attempt: idSchema.optional() }),
  /** An agent's own note of where it stands. */
  () => z.object({ kind: z.literal("checkpoint_note"), attempt: idSchema, note: checkpointNoteSchema }),
  /** For a workflow function that waits for it: `hf.signal`. */
  () => z.object({ kind: z.literal("signal"), name: z.string(), value: z.unknown() }),
  /** What a person found out about a step in doubt: it was done (with that value), or it may be done again. */
  () =>
    z.object({
      kind: z.literal("settle"),
      key: idSchema,
      outcome: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("done"), value: z.unknown() }),
        z.object({ kind: z.literal("again") }),
      ]),
      /** Present where no process held the run: the last epoch of those that did. What they left open is in doubt. */
      epoch: z.number().int().optional(),
    }),
  () => z.object({ kind: z.literal("checkpoint"), note: z.string().max(4_096).optional() }),
  /** Puts the run back to a checkpoint; to the last one where none is named. */
  () => z.object({ kind: z.literal("restore"), checkpoint: idSchema.optional() }),
  /** Commits the run's work: all that was changed since the last commit, or the files named. */
  () =>
    z.object({
      kind: z.literal("commit"),
      message: z.string().max(16_384).optional(),
      files: z.array(z.string().min(1)).min(1).max(1_000).optional(),
    }),
  /** Commits the run's work and takes its branch into the user's. */
  () =>
    z.object({
      kind: z.literal("accept"),
      /** Only what was done up to this step; all of it where it is left out. */
      step: idSchema.optional(),
      message: z.string().max(16_384).optional(),
      /** A person merges what is in conflict, in the run's tree. */
      resolution: z.literal("merge").optional(),
      /** Commits that the run was begun on and the user has dropped since. */
      dropped: z.enum(DROPPED).optional(),
      /** A person has done the step by hand: its checks decide whether it is done. */
      asDone: z.literal(true).optional(),
    }),
  /** Gives a step to another agent. */
  () =>
    z.object({
      kind: z.literal("handoff"),
      to: nameSchema,
      spec: agentSpecSchema,
      step: idSchema.optional(),
      reason: z.string().max(4_096).optional(),
      /** Files that were changed, as the asker has seen them. */
      files: z.array(z.string()).max(100).default([]),
    }),
  /** Accepts protected files as they were shown, or has them brought back. */
  () =>
    z.object({
      kind: z.literal("trust"),
      trees: z.array(z.object({ tree: z.string(), trusted: z.string(), paths: z.number().int() })).max(1_000),
      undo: z.boolean().optional(),
    }),
  /** Redoes steps, on the base as it is now. */
  () => z.object({ kind: z.literal("reissue"), reason: z.enum(REISSUE_REASONS), step: idSchema.optional() }),
  /** Takes a person's own commits as the new base. */
  () => z.object({ kind: z.literal("reconcile") }),
  /** Brings what a step proposes into the run's tree. */
  () => z.object({ kind: z.literal("apply_proposal"), proposal: idSchema }),
  /** Sends what a step proposes back with a note, or has the step done without it. */
  () =>
    z.object({
      kind: z.literal("reject_proposal"),
      proposal: idSchema,
      note: z.string().min(1).max(16_384),
      drop: z.boolean().optional(),
    }),
  () => z.object({ kind: z.literal("budget"), budget: budgetSchema }),
  /** A person takes over the terminal of an agent at work, types into it, or gives it back. */
  () =>
    z.object({
      kind: z.literal("terminal"),
      attempt: z.string().max(300),
      act: z.enum(["take", "type", "give_back"]),
      /** What was typed. */
      text: z.string().max(4_096).optional(),
    }),
  /** Changes limits and other settings of a run of agents. */
  () =>
    z.object({
      kind: z.literal("set"),
      changes: z
        .array(z.object({ key: z.string().max(300), value: z.unknown() }))
        .min(1)
        .max(100),
      note: z.string().max(4_096).optional(),
    }),
] as const;

export const requestSchema = z.lazy(() => z.discriminatedUnion("kind", made(requestVariants)));
export type RunRequest = z.infer<typeof requestSchema>;
export type RequestKind = RunRequest["kind"];

export const answerSchema = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("done"), text: z.string() }),
    z.object({ kind: z.literal("refused"), text: z.string(), allowedIn: z.array(z.string()) }),
  ]),
);
export type RequestAnswer = z.infer<typeof answerSchema>;
