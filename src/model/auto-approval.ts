import { z } from "zod";

/** What a step can do harm to, as its author rates it; from the least to the most. */
export const RISKS = ["low", "medium", "high"] as const;
export const riskSchema = z.enum(RISKS);

const CONDITIONS = ["paths", "filesMax", "linesMax", "checks", "risk"] as const;

/** When a gate approves by itself: all that is named must hold of the work since the gate before. */
export const autoRuleSchema = z
  .strictObject({
    paths: z
      .array(z.string().min(1).max(500))
      .min(1)
      .max(100)
      .optional()
      .describe("only files were changed that one of these describes; * stands for any characters"),
    filesMax: z.number().int().min(0).optional().describe("at most so many files were changed"),
    linesMax: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe("at most so many lines were added and removed; a changed binary file never counts as few"),
    checks: z
      .literal("passed")
      .optional()
      .describe("each step of the phase that writes has checks, or the gate has, and all of them passed"),
    risk: riskSchema.optional().describe("no step of the phase has a higher risk, and each has a label"),
    dryRun: z
      .boolean()
      .optional()
      .describe("a person is asked all the same, and shown what would have been decided"),
  })
  .superRefine((rule, context) => {
    if (CONDITIONS.every((name) => rule[name] === undefined))
      context.addIssue({ code: "custom", message: `expected at least one of ${CONDITIONS.join(", ")}` });
  });
export type AutoRule = z.infer<typeof autoRuleSchema>;

/** What a rule found of the work that waits, condition by condition. */
export const autoFindingsSchema = z.object({
  met: z.boolean(),
  dryRun: z.boolean(),
  findings: z.array(z.object({ condition: z.enum(CONDITIONS), met: z.boolean(), why: z.string() })),
});
export type AutoFindings = z.infer<typeof autoFindingsSchema>;

/** What was changed between two snapshots, as far as it is listed. */
export const weighedSchema = z.object({
  files: z.array(z.string()),
  count: z.number().int(),
  lines: z.number().int(),
  binary: z.number().int(),
});
export type Weighed = z.infer<typeof weighedSchema>;
