import { z } from "zod";

/** A command that Holdfast itself runs after an attempt; its exit code is the evidence. */
export const checkSchema = z.strictObject({
  run: z.string().min(1).describe("a shell command; exit code 0 passes"),
  limitMs: z.number().int().min(1).optional().describe("time it may take"),
  clean: z
    .boolean()
    .optional()
    .describe("true: run in a fresh copy of exactly what would be accepted, without ignored files"),
  writes: z
    .array(z.string().min(1).max(500))
    .max(50)
    .optional()
    .describe("files that it writes itself, beside ignored ones: `*` stands for any characters"),
});
