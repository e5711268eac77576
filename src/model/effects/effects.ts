import { pricesSchema } from "../settings/prices.ts";
import { z } from "zod";
import { idSchema } from "../ids.ts";
import { made } from "../values/made.ts";
import { handedSchema, outputSchema } from "./artifact.ts";
import { runSourceSchema } from "../flow/bindings.ts";
import { boundTreeSchema } from "../state/bound-tree.ts";
import { agentSpecSchema } from "../flow/flow.ts";
import { channelSpecSchema, noticeSchema } from "../settings/notice.ts";
import { CHECKPOINT_CAUSES } from "./checkpoint.ts";
import { sharedResourceFactSchema, sharedResourceRulesSchema } from "../host/shared-resource.ts";
import { PATTERNS } from "../agent/health.ts";
import { toolUseShape } from "../flow/permission-rules.ts";
import { HOOK_POINTS, hookSchema } from "../flow/hook.ts";
import { openSealEffect, sealShape, sealedShape } from "../requests/seal.ts";
import { MOVE_EFFECTS } from "./move-effects.ts";
import { WORKSPACE_EFFECTS } from "./workspace-effects.ts";

/** It is done in a fresh copy of that tree, as it is at that time. */
const cleanSchema = z.object({ tree: idSchema, project: z.string().optional(), at: z.number() });

/** The tree that evidence is bound to, and the sessions of ended attempts of which nothing may run by then. */
const boundShape = { bound: boundTreeSchema.optional(), ends: z.array(z.string()).optional() };

/** What the runtime is to do in the outside world. Named in the imperative; performed only after it is journaled (I2). */
const effectVariants = [
  () =>
    z.object({
      kind: z.literal("StartAgent"),
      attempt: idSchema,
      session: idSchema,
      agent: idSchema,
      spec: agentSpecSchema,
      task: z.string(),
      step: idSchema,
      number: z.number().int(),
      cwd: z.string(),
      /** Names of variables that the agent does not inherit. */
      withheld: z.array(z.string()).optional(),
      /** The conversation to go on with, instead of a new one. */
      resume: z.string().optional(),
      /** What earlier steps have delivered, handed on by digest. */
      artifacts: z.array(handedSchema).optional(),
      ...sealShape,
    }),
  /** Says something to an agent at work. */
  () =>
    z.object({
      kind: z.literal("TellAgent"),
      attempt: idSchema,
      session: idSchema,
      spec: agentSpecSchema,
      step: idSchema,
      text: z.string(),
      /** Who says it; absent for a remedy, an alarm, and in old journals. */
      by: z.string().optional(),
      /** It is a remedy of Holdfast's own, not a person's word. */
      remedy: z.boolean().optional(),
      /** The alarm whose words these are. */
      alarm: z.string().optional(),
    }),
  () =>
    z.object({
      kind: z.literal("AnswerPermission"),
      attempt: idSchema,
      session: idSchema,
      spec: agentSpecSchema,
      askId: idSchema,
      what: z.string(),
      allow: z.boolean(),
      note: z.string().optional(),
      ...toolUseShape,
      /** What of the agent's `permissions` says so; absent where a person does. */
      rule: z.string().optional(),
    }),
  () =>
    z.object({
      kind: z.literal("EndAgent"),
      attempt: idSchema,
      session: idSchema,
      spec: agentSpecSchema,
      graceMs: z.number().int(),
      /** The review whose agent it is, and whose copy of the work goes with it. */
      review: z.string().optional(),
      /** What tokens of that agent cost where it does not report it. */
      prices: pricesSchema.optional(),
      ...sealedShape,
    }),
  () =>
    z.object({
      kind: z.literal("RunCheck"),
      attempt: idSchema,
      step: idSchema,
      command: z.string(),
      cwd: z.string(),
      limitMs: z.number().int(),
      outputBytesMax: z.number().int(),
      /** Not over accepted work: before the step's first attempt, in the user's own folder, or before a bad end of one is believed. */
      phase: z.enum(["before", "home", "end"]).optional(),
      /** Digest of the files that it is run over, where that is known. */
      digest: idSchema.optional(),
      /** What the workspace adds to its environment. */
      env: z.record(z.string(), z.string()).optional(),
      clean: cleanSchema.optional(),
      ...boundShape,
    }),
  /** Asks an agent for its verdict on the work of an attempt. */
  () =>
    z.object({
      kind: z.literal("AskReview"),
      attempt: idSchema,
      step: idSchema,
      agent: idSchema,
      spec: agentSpecSchema,
      session: idSchema,
      task: z.string(),
      ...cleanSchema.shape,
      limitMs: z.number().int(),
      usd: z.number(),
      /** What is left of the run's budget, and what tokens cost where it is not reported. */
      tokens: z.number().optional(),
      prices: pricesSchema.optional(),
      ...sealShape,
      ...boundShape,
    }),
  () => openSealEffect,
  /** Looks at the files that a step was to deliver, and keeps them where all are as declared. */
  () =>
    z.object({
      kind: z.literal("CollectOutputs"),
      attempt: idSchema,
      step: idSchema,
      tree: idSchema,
      outputs: z.array(outputSchema),
      fileBytesMax: z.number().int(),
      /** Values in JSON outputs that are to be read, as JSON pointers. */
      read: z.array(z.object({ path: z.string(), at: z.array(z.string()) })).optional(),
    }),
  /** Compares protected files with what is trusted, and brings them back. */
  () =>
    z.object({
      kind: z.literal("GuardFiles"),
      tree: idSchema,
      rules: z.array(z.string()),
      trusted: z.string().nullable(),
      undo: z.boolean(),
    }),
  /** Keeps the files of a tree as they are; it is a checkpoint once they are verified. */
  () =>
    z.object({
      kind: z.literal("TakeCheckpoint"),
      checkpoint: idSchema,
      cause: z.enum(CHECKPOINT_CAUSES),
      tree: idSchema,
      /** Whose store keeps it, where the tree is a worktree. */
      project: z.string().optional(),
      /** When it was decided (I5). */
      at: z.number(),
      note: z.string().optional(),
      /** The gate that it is a look for, and the snapshot that was asked about before. */
      gate: idSchema.optional(),
      since: z.string().optional(),
      /** A snapshot: what was changed since is measured, in files and lines. */
      weigh: z.string().optional(),
    }),
  /** Runs a command of a gate: one of its checks, or its action. */
  () =>
    z.object({
      kind: z.literal("RunAtGate"),
      gate: idSchema,
      part: z.enum(["check", "action"]),
      command: z.string(),
      cwd: z.string(),
      limitMs: z.number().int(),
      outputBytesMax: z.number().int(),
      env: z.record(z.string(), z.string()),
      clean: cleanSchema.optional(),
      ...boundShape,
    }),
  /** Looks where HEAD of a tree stands, and how that is to a commit. */
  () => z.object({ kind: z.literal("LookAtHead"), tree: idSchema, since: z.string().nullable() }),
  /** Reads who is to work what, as the files say now. */
  () => z.object({ kind: z.literal("LookAtBindings"), source: runSourceSchema }),
  /**
   * Reports to other runs of the repository what this one has changed between two snapshots, and receives what both
   * have.
   */
  () =>
    z.object({
      kind: z.literal("CompareWork"),
      project: z.string(),
      tree: idSchema,
      since: z.number(),
      base: z.string(),
      snapshot: z.string(),
    }),
  /** Frees the files of checkpoints that are let go. */
  () =>
    z.object({
      kind: z.literal("ReleaseCheckpoints"),
      snapshots: z.array(z.object({ project: z.string(), key: idSchema })),
    }),
  () =>
    z.object({
      kind: z.literal("RestoreCheckpoint"),
      checkpoint: idSchema,
      tree: idSchema,
      project: z.string().optional(),
      snapshot: z.string(),
      at: z.number(),
    }),
  ...WORKSPACE_EFFECTS,
  ...MOVE_EFFECTS,
  /** Reports to all runs what happened to something that they share. */
  () =>
    z.object({
      kind: z.literal("TellGround"),
      ground: idSchema,
      fact: sharedResourceFactSchema,
      rules: sharedResourceRulesSchema,
    }),
  /** Asks a short-lived agent what it makes of a stuck one. */
  () =>
    z.object({
      kind: z.literal("AskTriage"),
      /** The attempt that is stuck. */
      of: z.string(),
      step: idSchema,
      agent: idSchema,
      spec: agentSpecSchema,
      session: idSchema,
      openedAt: z.number(),
      /** The journal up to here shows what it did. */
      position: z.number().int(),
      pattern: z.enum(PATTERNS),
      evidence: z.array(z.string()),
      task: z.string(),
      limitMs: z.number().int(),
      usd: z.number(),
      /** What is left of the run's budget, and what tokens cost where it is not reported. */
      tokens: z.number().optional(),
      prices: pricesSchema.optional(),
    }),
  /** Asks a hook at its point. */
  () =>
    z.object({
      kind: z.literal("RunHook"),
      hook: hookSchema,
      hookKey: z.string(),
      point: z.enum(HOOK_POINTS),
      subject: z.string(),
      step: idSchema.optional(),
      cwd: z.string(),
      /** The JSON that it is given. */
      input: z.string(),
      rules: z.array(z.string()),
      /** Whether a change of what it must not touch can only be its doing. */
      watched: z.boolean(),
    }),
  () =>
    z.object({
      kind: z.literal("Notify"),
      id: idSchema,
      channel: channelSpecSchema,
      notice: noticeSchema,
      /** The folder of the run; older journals name none. */
      cwd: z.string().optional(),
      /** Where the dashboard is reached, where that was set. */
      dashboard: z.string().optional(),
    }),
] as const;

export const effectSchema = z.lazy(() => z.discriminatedUnion("kind", made(effectVariants)));
export type Effect = z.infer<typeof effectSchema>;
export type EffectKind = Effect["kind"];

/** Brings a run's files from one host to another. */
export const isMove = (effect: Effect): effect is Extract<Effect, { kind: "UploadFiles" | "FetchFiles" }> =>
  effect.kind === "UploadFiles" || effect.kind === "FetchFiles";

/** Under one key an effect is done once, however often it is performed. `nth` distinguishes wanted repetitions. */
export const effectKey = (of: string, kind: EffectKind, nth = 1): string =>
  `${of}/${kind}${nth === 1 ? "" : `.${String(nth)}`}`;
