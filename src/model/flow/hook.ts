import { z } from "zod";
import { nameSchema } from "../ids.ts";

/** Where hooks are called. */
export const HOOK_POINTS = [
  "before_dispatch",
  "after_dispatch",
  "before_validation",
  "after_validation",
  "before_acceptance",
  "after_acceptance",
  "before_gate",
  "on_escalation",
] as const;
export type HookPoint = (typeof HOOK_POINTS)[number];

/** A program or an address that is asked at a point; what it answers decides. */
export const hookSchema = z
  .strictObject({
    name: nameSchema,
    at: z.enum(HOOK_POINTS).describe("the point at which it is called"),
    run: z
      .string()
      .min(1)
      .optional()
      .describe("a shell command; it gets JSON on standard input, exit code 2 blocks"),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("instead: where the JSON is posted to"),
    allowPrivate: z.boolean().optional().describe("true: the url may lead into this machine or its network"),
    step: nameSchema.optional().describe("only for this step"),
    limitMs: z.number().int().min(1).default(60_000).describe("time it may take"),
    onFailure: z
      .enum(["block", "warn"])
      .default("block")
      .describe("what follows when it cannot be asked: a person is asked, or it is only reported"),
    idempotent: z
      .boolean()
      .default(false)
      .describe("true: after a crash it is simply called again; otherwise a person is asked"),
  })
  .refine(({ run, url }) => (run === undefined) !== (url === undefined), "expected one of run and url");
export type Hook = z.infer<typeof hookSchema>;

/** What a hook said, and what was found after it. */
export const hookReportSchema = z.object({
  decision: z.enum(["continue", "block", "warn"]),
  message: z.string(),
  /** It could not be asked, or gave no answer. */
  failed: z.boolean(),
  /** What it has touched that it must not. */
  tampered: z.array(z.string()),
  durationMs: z.number(),
});
export type HookReport = z.infer<typeof hookReportSchema>;
