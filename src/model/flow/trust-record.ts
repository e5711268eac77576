import { z } from "zod";

/** What a person has trusted of a repository: each thing that is obeyed, by its content. */
export const trustRecordSchema = z.object({
  version: z.literal(1),
  root: z.string(),
  entries: z.record(
    z.string(),
    z.object({
      what: z.string(),
      digest: z.string(),
      /** As it was shown, where it is short enough to be kept. */
      text: z.string().optional(),
      /** Further contents that were trusted at the same time: of one file in several trees of a run. */
      also: z.array(z.string()).optional(),
    }),
  ),
});
export type TrustRecord = z.infer<typeof trustRecordSchema>;
