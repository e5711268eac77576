import { z } from "zod";
import { idSchema } from "../ids.ts";
import { bindingDriftSchema, reboundSchema } from "../flow/bindings.ts";
import { movedFilesSchema } from "../state/bound-tree.ts";
import { overlapFactsSchema } from "../state/overlap.ts";
import { artifactSchema } from "../effects/artifact.ts";
import {
  CHECKPOINT_CAUSES,
  layersSchema,
  restoredFactsSchema,
  snapshotFactsSchema,
} from "../effects/checkpoint.ts";
import { homeHostSchema } from "../host/supervision.ts";
import { event } from "./define-event.ts";
import { REISSUE_REASONS, headFactsSchema } from "../state/drift.ts";
import { agentSpecSchema } from "../flow/flow.ts";
import { handOverSchema } from "../effects/hand-over.ts";
import { tamperingSchema } from "../flow/protected.ts";
import { sealReportSchema } from "../requests/seal.ts";
import { evidenceSchema } from "../effects/evidence.ts";
import { fetchedFactsSchema, uploadedFactsSchema } from "../effects/move-effects.ts";
import {
  DROPPED,
  WORKSPACE_PARTS,
  acceptedFactsSchema,
  carriedFactsSchema,
  joinedFactsSchema,
  committedFactsSchema,
  unacceptedFactsSchema,
  unjoinedFactsSchema,
  worktreeFactsSchema,
} from "../effects/workspace-effects.ts";

/** Who a request or decision came from. */
const actor = z.string();

/** Events about the folder that agents work in. */
export const WORKSPACE_EVENTS = {
  RunMoved: event(
    "The run goes on on another host: with its files where they were uploaded, otherwise it starts over. What is on the host before stays there.",
    () =>
      z.object({
        from: homeHostSchema,
        to: homeHostSchema,
        /** Folders that the run worked in; they stay as they are on the host before. */
        left: z.array(z.string()),
        by: z.string(),
        /** The run goes on with its files, as they were uploaded at this checkpoint; absent where it starts over. */
        carried: fetchedFactsSchema
          .extend({ checkpoint: idSchema, without: z.record(z.string(), z.string()) })
          .optional(),
      }),
  ),
  FilesUploaded: event(
    "The run's files as of a checkpoint, and its agents' conversations, are on the shared remote: another host can go on with them. What is left behind stays on this host.",
    () => uploadedFactsSchema.extend({ checkpoint: idSchema, tree: idSchema }),
  ),
  UploadFailed: event(
    "The run's files could not be copied to the shared remote. The work goes on, and the copy is tried again.",
    () =>
      z.object({
        checkpoint: idSchema,
        why: z.string(),
        /** Tries in a row that failed. */
        tries: z.number().int(),
        notBefore: z.number(),
      }),
  ),
  CommitWanted: event(
    "The run's work is to be committed: after a step, because it is time, or because somebody asks.",
    () =>
      z.object({
        by: actor,
        step: idSchema.optional(),
        message: z.string().optional(),
        files: z.array(z.string()).optional(),
        accept: z.boolean().optional(),
        /** Nothing is committed: what was committed up to this step is taken in. */
        upTo: z.string().optional(),
        dropped: z.enum(DROPPED).optional(),
        resolution: z.literal("merge").optional(),
        /** It was asked of a cancelled run, which is cancelled again when that is done or refused. */
        endsAs: z.literal("cancelled").optional(),
      }),
  ),
  WorkCommitted: event(
    "Exactly these files are committed on the branch; nothing differed where there are none.",
    () => z.object({ ...committedFactsSchema.shape, snapshot: z.string(), tree: idSchema }),
  ),
  EvidenceOutdated: event(
    "Files changed after the evidence of a step was taken and before its work was committed; it is taken again.",
    () => z.object({ step: idSchema, attempt: idSchema, ...movedFilesSchema.shape }),
  ),
  CommitRefused: event("The run's work was not committed, and why; nothing was changed.", () =>
    z.object({ why: z.string(), step: idSchema.optional() }),
  ),
  WorkAccepted: event(
    "The run's work is in the branch that the user's tree is on: all of it, or what was done up to a step.",
    () => z.object({ ...acceptedFactsSchema.shape, upTo: z.string().optional() }),
  ),
  AcceptRefused: event(
    "The run's work was not taken into the user's branch, and why; nothing was changed.",
    () => unacceptedFactsSchema,
  ),
  WorkJoined: event("What a step has made in a worktree of its own is on the run's branch.", () =>
    z.object({ step: idSchema, attempt: idSchema, ...joinedFactsSchema.shape }),
  ),
  JoinRefused: event(
    "What a step has made in a worktree of its own was not brought onto the run's branch, and why; it is kept on the step's.",
    () => z.object({ step: idSchema, attempt: idSchema, ...unjoinedFactsSchema.shape }),
  ),
  WorktreeCreated: event(
    "The run, or one step of it, has a worktree of its own, on its own branch; its agents work there.",
    () => worktreeFactsSchema.extend({ step: idSchema.optional() }),
  ),
  FilesCarried: event(
    "What a fresh worktree lacks was copied into it, before anybody works there: what the user has not committed, and paths that git ignores.",
    () => carriedFactsSchema.extend({ tree: idSchema }),
  ),
  WorktreeRemoved: event(
    "A worktree of the run was removed; all that was in it is in the snapshot. Its branch stays.",
    () => z.object({ tree: idSchema, snapshot: z.string().nullable() }),
  ),
  WorktreeKept: event(
    "A worktree of the run was to be removed and stands: something in it is in no snapshot.",
    () => z.object({ tree: idSchema, snapshot: z.string().nullable(), why: z.string() }),
  ),
  WorkspaceHeld: event(
    "The run may write in the tree, and no other may, until it releases it; each owner takes it again.",
    () => z.object({ tree: idSchema, epoch: z.number().int() }),
  ),
  WorkspaceAwaited: event("Another run works in the tree; this one waits until it has ended.", () =>
    z.object({ tree: idSchema, by: z.string() }),
  ),
  WorkspaceFreed: event("The run lets go of the tree.", () => z.object({ tree: idSchema })),
  WorkspaceCommandEnded: event(
    "A command of the workspace has ended: setup, run (before each attempt) or teardown.",
    () => z.object({ part: z.enum(WORKSPACE_PARTS), evidence: evidenceSchema, tree: idSchema.optional() }),
  ),
  CheckpointTaken: event(
    "Where the run stands is kept: its files, verified, and four layers beside them.",
    () =>
      z.object({
        checkpoint: idSchema,
        cause: z.enum(CHECKPOINT_CAUSES),
        tree: idSchema,
        snapshot: snapshotFactsSchema,
        layers: layersSchema,
        note: z.string().optional(),
      }),
  ),
  CheckpointsReleased: event(
    "Old checkpoints of an ended run are released: the run can no longer be restored to them, and their files are freed.",
    () => z.object({ checkpoints: z.array(z.string()) }),
  ),
  RestoreWanted: event("The run is to be put back to a checkpoint; nothing is started before it is.", () =>
    z.object({
      checkpoint: idSchema,
      by: actor,
      /** The step that it is a remedy for: the run goes on by itself afterwards. */
      step: idSchema.optional(),
      /** It is what steps without authority to write have changed: no step is open again. */
      putBack: z.literal(true).optional(),
    }),
  ),
  RestoreDropped: event("The run is not put back any more; nothing was changed.", () =>
    z.object({ checkpoint: idSchema, why: z.string() }),
  ),
  RunRestored: event(
    "Files and steps are as they were at the checkpoint; `before` is the snapshot of what was there.",
    () => z.object({ checkpoint: idSchema, ...restoredFactsSchema.shape, reopened: z.array(z.string()) }),
  ),
  HandedOver: event("A step goes to another agent, with a record of what was before.", () =>
    z.object({
      step: idSchema,
      from: z.string(),
      to: z.string(),
      spec: agentSpecSchema,
      reason: z.string(),
      by: actor,
      record: handOverSchema,
    }),
  ),
  ArtifactsRegistered: event(
    "What a step was to deliver is there as declared, and kept: later steps get exactly these bytes.",
    () => z.object({ step: idSchema, attempt: idSchema, artifacts: z.array(artifactSchema) }),
  ),
  BaseNoted: event("Work starts on this base: the branch and commit that it builds on.", () =>
    z.object({ branch: z.string().nullable(), commit: z.string().nullable() }),
  ),
  DriftFound: event(
    "The base has moved since the work started; `attempts` are those that may have done it.",
    () => z.object({ from: z.string().nullable(), head: headFactsSchema, attempts: z.array(z.string()) }),
  ),
  BindingDriftFound: event(
    "Steps that started would start differently now, by the configuration or the flow's file; none where that no longer holds.",
    () => z.object({ drifts: z.array(bindingDriftSchema) }),
  ),
  OverlapFound: event(
    "What other runs have changed too, in worktrees of the same repository; none where nothing is in common any more.",
    () => overlapFactsSchema,
  ),
  StepsReissued: event("Steps are redone on the current base.", () =>
    z.object({
      steps: z.array(z.string()),
      reason: z.enum(REISSUE_REASONS),
      by: actor,
      /** Where it is known; otherwise it is looked at before the next agent begins. */
      base: z.object({ branch: z.string().nullable(), commit: z.string().nullable() }).optional(),
      /** Who works them from now on, where the files say otherwise than before. */
      rebound: z.array(reboundSchema).optional(),
    }),
  ),
  StepsRebound: event(
    "Steps that are not done are worked as the configuration or the flow's file says now; read again for a retry.",
    () => z.object({ rebound: z.array(reboundSchema), changed: z.array(z.string()), by: actor }),
  ),
  ProtectedFilesStirred: event(
    "Something protected may have changed; a comparison follows that names it.",
    () => z.object({ tree: idSchema }),
  ),
  FilesTrusted: event("Protected files are trusted as they are; `trusted` is the digest of their list.", () =>
    z.object({ tree: idSchema, trusted: z.string(), paths: z.number().int(), by: actor }),
  ),
  FilesDistrusted: event(
    "A person wants protected files restored to what is trusted, no matter who changed them.",
    () => z.object({ by: actor }),
  ),
  RepositoryMoved: event(
    "Refs, HEAD, index or files of the real repository changed while an agent worked that may not write there. With `breach`, git's log proves some of it to be the agent's doing: that was undone and its work does not count. Everything else was left alone.",
    () =>
      z.object({
        attempt: idSchema,
        step: idSchema,
        agent: idSchema,
        breach: z.boolean(),
        ...sealReportSchema.shape,
      }),
  ),
  ProtectedFilesChanged: event(
    "Protected files were found changed; `attempts` are those that may have done it.",
    () =>
      z.object({
        tree: idSchema,
        trusted: z.string(),
        findings: z.array(tamperingSchema),
        count: z.number().int(),
        undone: z.boolean(),
        attempts: z.array(z.string()),
        failure: z.string().optional(),
      }),
  ),
} as const;
