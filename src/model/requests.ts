import { z } from "zod";

/** What people and programs may ask of a run. It enters through the inbox and is answered in the journal. */
const requestVariants = [
  z.object({ kind: z.literal("pause") }),
  z.object({ kind: z.literal("resume") }),
  z.object({ kind: z.literal("cancel") }),
  z.object({ kind: z.literal("retry"), step: z.string().optional() }),
  z.object({ kind: z.literal("reopen") }),
] as const;

export const requestSchema = z.discriminatedUnion("kind", requestVariants);
export type RunRequest = z.infer<typeof requestSchema>;
export type RequestKind = RunRequest["kind"];

export const answerSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), text: z.string() }),
  z.object({ kind: z.literal("refused"), text: z.string(), allowedIn: z.array(z.string()) }),
]);
export type RequestAnswer = z.infer<typeof answerSchema>;
