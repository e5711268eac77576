import { z } from "zod";
import { idSchema } from "../ids.ts";
import { schemaProblem } from "../values/json-schema.ts";

const OUTSIDE = /^([/\\]|[A-Za-z]:)|(^|[/\\])\.\.?([/\\]|$)|(^|\/)\.git(\/|$)|\0|\/$|\/\//i;

/** Whether a path stays below the folder that it starts from, and out of git's own. */
export const isBelow = (path: string): boolean => path !== "" && !OUTSIDE.test(path);

/** A file that a step is to deliver. It counts only if it is there, is not empty, and is what was declared. */
export const outputSchema = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(400)
    .refine(isBelow, "a path below the folder that is worked in, without . or ..")
    .describe("the file, from the folder that is worked in"),
  schema: z
    .record(z.string(), z.unknown())
    .optional()
    .superRefine((schema, context) => {
      const problem = schema === undefined ? null : schemaProblem(schema);
      if (problem !== null)
        context.addIssue({ code: "custom", message: `no usable JSON Schema: ${problem}` });
    })
    .describe("a JSON Schema that its content must fit; in a flow's file also the path of one"),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "64 hexadecimal digits")
    .optional()
    .describe("the only content that is accepted"),
});
export type Output = z.infer<typeof outputSchema>;

/** A declared output as it was accepted: these bytes and no others are handed on. */
export const artifactSchema = z.object({
  path: z.string(),
  /** SHA-256 of its bytes, in hex. */
  digest: idSchema,
  bytes: z.number().int(),
  /** Values in it that are looked at, by JSON pointer; those that are not there are left out. */
  values: z.record(z.string(), z.unknown()).optional(),
});
export type Artifact = z.infer<typeof artifactSchema>;

/** An artifact and the step that it is of. */
export const handedSchema = artifactSchema.omit({ values: true }).extend({ step: idSchema });
export type Handed = z.infer<typeof handedSchema>;

/** What was found where outputs were declared. */
export const outputsReportSchema = z.object({
  artifacts: z.array(artifactSchema),
  problems: z.array(z.object({ path: z.string(), problem: z.string() })),
});
export type OutputsReport = z.infer<typeof outputsReportSchema>;
