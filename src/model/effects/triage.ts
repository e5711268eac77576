import { z } from "zod";

/** What an agent that was asked about a stuck one may answer; anything else is no answer. */
export const triageAnswerSchema = z.strictObject({
  verdict: z.enum(["continue", "restart", "stop"]),
  why: z.string().max(2_000),
});

export const TRIAGE_VERDICTS = ["continue", "restart", "stop", "none"] as const;
export type TriageVerdict = (typeof TRIAGE_VERDICTS)[number];

/** What came of asking, and what it cost. */
export const triageReportSchema = z.object({
  verdict: z.enum(TRIAGE_VERDICTS),
  why: z.string(),
  usd: z.number().nonnegative(),
  tokens: z.number().nonnegative(),
});
export type TriageReport = z.infer<typeof triageReportSchema>;

/** How far asking has come in one trouble: it is done once. */
export interface TriageState {
  readonly askedAt: number;
  /** Null while the answer is awaited. */
  readonly verdict: TriageVerdict | null;
  readonly at: number;
}
