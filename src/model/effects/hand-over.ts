import { z } from "zod";
import { idSchema } from "../ids.ts";

/** What the one that goes on with a step is given of what was before. */
export const handOverSchema = z.object({
  agent: idSchema,
  task: z.string(),
  progress: z.string(),
  /** The first of them; since the run's first checkpoint. */
  files: z.array(z.string()).max(100),
  pending: z.string(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  questions: z.string(),
});
export type HandOver = z.infer<typeof handOverSchema>;
