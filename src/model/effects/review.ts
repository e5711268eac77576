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
