import { z } from "zod";
import { weighedSchema } from "../auto-approval.ts";
import { idSchema } from "../ids.ts";
import { agentBudgetSchema } from "../requests/budget.ts";

/** An agent's own note of where it stands, for the one that goes on with its step. */
export const checkpointNoteSchema = z.object({
  done: z.string().optional(),
  next: z.string().optional(),
  questions: z.string().optional(),
});
export type CheckpointNote = z.infer<typeof checkpointNoteSchema>;

/** Why a checkpoint was taken. */
export const CHECKPOINT_CAUSES = [
  "before_step",
  "before_recovery",
  "after_step",
  "periodic",
  "asked",
  "before_restore",
  "before_commit",
  "suspended",
] as const;
export type CheckpointCause = (typeof CHECKPOINT_CAUSES)[number];

/** The files of a tree at one instant, kept and verified. */
export const snapshotFactsSchema = z.object({
  id: idSchema,
  /** Equal for equal trees. */
  digest: idSchema,
  files: z.number().int(),
  /** Where the user's branch stood; null where the tree is no repository, or has no commit. */
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  /** How many paths could not be kept, and the first of them. */
  skipped: z.number().int(),
  firstSkipped: z.string().optional(),
  /** The first of them, each with why. */
  skippedPaths: z.array(z.string()).optional(),
  /** Files that differ from the snapshot that it was to be compared with. */
  changed: z.number().int().optional(),
  /** What differs from the snapshot that it was to be weighed against. */
  work: weighedSchema.optional(),
});
export type SnapshotFacts = z.infer<typeof snapshotFactsSchema>;

/** Where a run stood, beside its files: what it is for, how far it is, what its agents know, what is alive. */
export const layersSchema = z.object({
  goal: z.object({ goal: z.string(), flow: z.string(), budget: agentBudgetSchema }),
  execution: z.object({
    /** The journal up to here shows everything else. */
    position: z.number().int(),
    status: z.string(),
    done: z.array(z.string()),
    open: z.record(z.string(), z.object({ status: z.string(), attempts: z.number().int() })),
  }),
  /** By step that is not done. */
  context: z.record(
    z.string(),
    z.object({
      conversation: z.object({ agent: idSchema, id: idSchema }).optional(),
      feedback: z.string().optional(),
      note: checkpointNoteSchema.optional(),
    }),
  ),
  runtime: z.object({
    epoch: z.number().int(),
    spent: z.object({ usd: z.number(), tokens: z.number() }),
    live: z.array(z.object({ attempt: idSchema, agent: idSchema, session: idSchema })),
  }),
});
export type CheckpointLayers = z.infer<typeof layersSchema>;

export const restoredFactsSchema = z.object({
  /** The snapshot of what was there before. */
  before: z.string(),
  written: z.number().int(),
  removed: z.number().int(),
  /** Paths that are not as they were then, because no snapshot holds them; the first of them, each with why. */
  left: z.number().int(),
  leftPaths: z.array(z.string()).optional(),
});
export type RestoredFacts = z.infer<typeof restoredFactsSchema>;

export const checkpointId = (number: number): string => `c${String(number)}`;

/** What a checkpoint's files are kept under, within its run. */
export const checkpointKey = (id: string): string => {
  const number = Number(id.slice(1));
  return `checkpoint/TakeCheckpoint${number === 1 ? "" : `.${String(number)}`}`;
};
