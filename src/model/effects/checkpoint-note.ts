import { z } from "zod";

/** An agent's own note of where it stands, for whoever goes on with its step. */
export const checkpointNoteSchema = z.object({
  done: z.string().optional(),
  next: z.string().optional(),
  questions: z.string().optional(),
});
export type CheckpointNote = z.infer<typeof checkpointNoteSchema>;
