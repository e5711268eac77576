import { z } from "zod";
import { idSchema } from "../ids.ts";

const findingSchema = z.strictObject({
  severity: z.string().min(1).max(40),
  text: z.string().min(1).max(2_000),
  file: z.string().max(1_000).optional(),
});

/** What a reviewing agent may answer; anything else is no verdict. */
export const reviewAnswerSchema = z
  .strictObject({
    verdict: z.enum(["pass", "fail"]),
    findings: z.array(findingSchema).max(100),
  })
  .refine(({ verdict, findings }) => verdict === "pass" || findings.length > 0, {
    message: "a fail names what was found",
  });

/** What came of asking a reviewer, and what it cost. */
export const reviewReportSchema = z.object({
  agent: idSchema,
  /** `none` for an answer outside of the schema, and where there was no answer. */
  verdict: z.enum(["pass", "fail", "none"]),
  findings: z.array(findingSchema),
  why: z.string(),
  /** Of what it said. */
  digest: idSchema,
  usd: z.number().nonnegative(),
  tokens: z.number().nonnegative(),
});
export type ReviewReport = z.infer<typeof reviewReportSchema>;

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
