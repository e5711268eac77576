import { z } from "zod";

/** What a backup of a store holds: every file with its digest, so that one that was changed or is missing is found. */
export const backupManifestSchema = z.object({
  format: z.literal(1),
  madeAt: z.string(),
  /** The store's address, without a password. */
  store: z.string(),
  runs: z.number().int(),
  files: z.array(z.object({ path: z.string(), bytes: z.number().int(), sha256: z.string() })),
});
export type BackupManifest = z.infer<typeof backupManifestSchema>;
