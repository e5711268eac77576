import { z } from "zod";
import { idSchema } from "../ids.ts";

/** One state of a tree: the digest that people compare, and the snapshot that holds its files. */
export const seenTreeSchema = z.object({ digest: idSchema, snapshot: z.string() });
export type SeenTree = z.infer<typeof seenTreeSchema>;

/** The tree that evidence speaks of. It is looked at before and after the evidence is taken (G6). */
export const boundTreeSchema = z.object({
  tree: idSchema,
  /** Whose store keeps snapshots of it, where that is another folder. */
  project: z.string().optional(),
  /** When it was decided (I5). */
  at: z.number(),
  /** The key of the snapshot that holds what was seen; the next one under this key replaces it. */
  slot: z.string(),
  /** What the evidence before it has seen; absent for the first. */
  since: seenTreeSchema.optional(),
  /** Patterns of files that checks write themselves. */
  writes: z.array(z.string()).optional(),
});
export type BoundTree = z.infer<typeof boundTreeSchema>;

export const MOVED_FILES_MAX = 20;

/** Files that changed while evidence was taken, or between two pieces of it; the first of them by name. */
export const movedFilesSchema = z.object({ files: z.array(z.string()), count: z.number().int() });
export type MovedFiles = z.infer<typeof movedFilesSchema>;

/** Processes of attempts that had ended. They were ended before evidence was taken. */
export const leftoverSchema = z.object({ session: idSchema, pids: z.array(z.number().int()) });
export type Leftover = z.infer<typeof leftoverSchema>;

/** How far evidence is bound to one tree. */
export interface BoundState {
  /** Null before the first piece of evidence. */
  seen: SeenTree | null;
  /** How often the tree moved, so that the evidence did not count; and what moved last. */
  moves: number;
  moved: MovedFiles | null;
}

/** The tree that a commit or a proposal must be exactly, beside what checks write themselves. */
export const provedTreeSchema = z.object({ ...seenTreeSchema.shape, writes: z.array(z.string()) });
export type ProvedTree = z.infer<typeof provedTreeSchema>;

/** What the accepted evidence of a step speaks of: exactly that is committed. */
export interface Proof extends ProvedTree {
  readonly attempt: string;
}

export const unbound = (): BoundState => ({ seen: null, moves: 0, moved: null });
