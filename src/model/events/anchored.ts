import { z } from "zod";

const anchoredSchema = z.object({
  run: z.string(),
  seq: z.number().int().positive(),
  hash: z.string(),
  at: z.number(),
  /** The run is being rewritten: it ends with this event once that is done. */
  next: z.object({ seq: z.number().int().positive(), hash: z.string() }).optional(),
});
/** An event that a store was seen to hold. */
export type Anchored = z.infer<typeof anchoredSchema>;

/** What stands in the anchor of a store; see `journal/anchor.ts`. */
export const anchorSchema = z.object({ store: z.string(), heads: z.array(anchoredSchema).max(1_000) });
