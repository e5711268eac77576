import { z } from "zod";

const LABELS_MAX = 16;

/** What a host has, or a run needs: `gpu`, `linux`, `eu-west`. */
export const labelSchema = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,39}$/, "expected at most 40 letters, digits and . _ -");

export const labelsSchema = z.array(labelSchema).max(LABELS_MAX);

export const hostLabels = labelsSchema
  .default([])
  .describe("what this host has, for runs that ask for it with --labels, such as gpu or linux");

/** Where a run may be worked; absent in a run that any host may take. */
export const placementSchema = z.object({
  /** The one host, by its name or id. */
  host: z.string().min(1).max(200).optional(),
  /** The host has all of them. In the order of the alphabet, each once. */
  labels: labelsSchema.optional(),
});
export type Placement = z.infer<typeof placementSchema>;
