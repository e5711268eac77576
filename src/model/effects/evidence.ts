import { z } from "zod";
import { idSchema } from "../ids.ts";

/** What of a check's output is kept for people and agents to read: its beginning and its end. */
export const EXCERPT_CHARS_MAX = 4_096;

/** `unknown` is for a check that could not be run or whose outcome was not learnt. It is never a pass (I6). */
export const VERDICTS = ["pass", "fail", "unknown"] as const;

/** What a check has shown, and by which command. */
export const evidenceSchema = z.object({
  command: z.string(),
  verdict: z.enum(VERDICTS),
  /** Null if the command did not exit by itself. */
  exitCode: z.number().int().nullable(),
  /** The signal that ended the command; null if none did. */
  signal: z.string().nullable(),
  timedOut: z.boolean(),
  /** All that was written, also what was not kept. */
  outputBytes: z.number().int().min(0),
  /** SHA-256, in hex, of all that was written. */
  digest: idSchema,
  /** Head and tail, safe to print. */
  excerpt: z.string().max(EXCERPT_CHARS_MAX),
  durationMs: z.number().int().min(0),
  /** Digest of the files that it speaks of; absent where they were not looked at. */
  tree: idSchema.optional(),
  /** Files that changed while it was taken, again and again: it shows nothing. */
  moved: z.array(z.string()).optional(),
});
export type Evidence = z.infer<typeof evidenceSchema>;
