import { z } from "zod";
import { agentSpecSchema } from "../flow/flow.ts";
import { idSchema } from "../ids.ts";
import { portsSchema, worktreeFactsSchema } from "./workspace-effects.ts";

/** Where HEAD of a tree stood: on no branch where there is none. */
const movedHeadSchema = z.object({ branch: z.string().nullable(), commit: z.string() });

/** The conversation of a step's agent. */
export const conversationSchema = z.object({ step: idSchema, agent: idSchema, id: idSchema });

/** What is kept for the run beside its tree, by digest. */
const besideShape = {
  /** The list of what is trusted of protected files, and the rules that it was made by. */
  trusted: z.object({ digest: z.string(), rules: z.array(z.string()) }).nullable(),
  /** Outputs that steps have delivered. */
  artifacts: z.array(z.string()),
};

/** What the runtime does so that a run can go on on another host. */
export const MOVE_EFFECTS = [
  /** Copies a checkpoint of the run's worktree, and what belongs to it, to the shared remote. */
  () =>
    z.object({
      kind: z.literal("UploadFiles"),
      remote: z.string(),
      /** The refs of an upload are named after the run and this epoch: no other owner writes them. */
      epoch: z.number().int(),
      checkpoint: idSchema,
      project: z.string(),
      tree: idSchema,
      /** Of the checkpoint, and others that its changes are counted from. */
      snapshot: z.string(),
      others: z.array(z.string()),
      head: movedHeadSchema,
      /** The run's own branch, where HEAD was elsewhere. */
      branch: z.object({ name: z.string(), commit: z.string() }),
      conversations: z.array(conversationSchema.extend({ spec: agentSpecSchema })),
      ...besideShape,
      /** The upload before, as the journal knows it: it stays until this one is recorded. */
      previous: z.string().nullable(),
      at: z.number(),
    }),
  /** Makes the run's worktree here from what was uploaded. */
  () =>
    z.object({
      kind: z.literal("FetchFiles"),
      remote: z.string(),
      ref: z.string(),
      commit: z.string(),
      worktree: worktreeFactsSchema,
      ports: z.object({ from: z.number().int(), count: z.number().int() }),
      snapshot: z.string(),
      /** Checkpoints that came along, whose snapshots are kept under their keys. */
      checkpoints: z.array(z.object({ id: idSchema, snapshot: z.string() })),
      head: movedHeadSchema,
      branch: z.object({ name: z.string(), commit: z.string() }),
      conversations: z.array(conversationSchema.extend({ spec: agentSpecSchema })),
      ...besideShape,
      at: z.number(),
    }),
] as const;

/** Of the paths that stayed behind the first are named. */
const LEFT_NAMED_MAX = 100;
const leftSchema = z.object({
  count: z.number().int(),
  paths: z.array(z.object({ path: z.string(), why: z.string() })).max(LEFT_NAMED_MAX),
});

/** What is on the remote. */
export const uploadedFactsSchema = z.object({
  ref: z.string(),
  /** The commit that holds all of it; what is fetched must be exactly this. */
  commit: z.string(),
  left: leftSchema,
  /** Conversations whose files are part of it. */
  conversations: z.array(conversationSchema),
  /** Snapshots that are part of it without some of their files, by their ids here. */
  without: z.record(z.string(), z.string()),
});
export type UploadedFacts = z.infer<typeof uploadedFactsSchema>;

/** What was made of an upload on another host. */
export const fetchedFactsSchema = z.object({
  worktree: worktreeFactsSchema,
  /** Conversations that the agents find here. */
  conversations: z.array(conversationSchema),
  /** The list of what is trusted, as the files look here. */
  trusted: z.string().nullable(),
  /** The snapshot of what stood in the worktree's place; absent where nothing did. */
  before: z.string().optional(),
  ports: portsSchema.nullable(),
});
export type FetchedFacts = z.infer<typeof fetchedFactsSchema>;
