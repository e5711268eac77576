import { z } from "zod";

/** Names of fields, one within the other, such as `message.content.0.text`; a number counts in a list. */
const fieldSchema = z
  .string()
  .min(1)
  .max(200)
  .describe("a field of the line, such as usage.input_tokens or content.0.text");
const whenSchema = z
  .record(fieldSchema, z.union([z.string(), z.number(), z.boolean()]))
  .optional()
  .describe("fields and the values they must have; left out: every line");

const rule = <Is extends string, Fields extends z.core.$ZodLooseShape>(is: Is, fields: Fields) =>
  z.strictObject({ is: z.literal(is), when: whenSchema, ...fields });

/** What one kind of line that a program prints means, as its user describes it. A line may match several. */
export const signalRuleSchema = z.discriminatedUnion("is", [
  rule("message", { text: fieldSchema.describe("what the agent says") }),
  rule("call", {
    name: fieldSchema.describe("the tool"),
    id: fieldSchema.optional(),
    args: fieldSchema.optional().describe("what it is called with: text, or any JSON"),
  }),
  rule("result", {
    id: fieldSchema.optional(),
    name: fieldSchema.optional(),
    text: fieldSchema.optional(),
    ok: fieldSchema.optional().describe("true, 0, or a word such as ok or success: the call went well"),
    failed: fieldSchema.optional().describe("true, or any text: the call failed"),
  }),
  rule("usage", {
    tokensIn: fieldSchema.optional(),
    cachedIn: fieldSchema.optional().describe("the part of tokensIn that was read from a cache"),
    tokensOut: fieldSchema.optional(),
    usd: fieldSchema.optional(),
    model: fieldSchema.optional(),
    total: z.boolean().default(false).describe("the numbers count the whole session so far"),
  }),
  rule("context", {
    pct: fieldSchema.optional().describe("how full it is, 0 to 100"),
    used: fieldSchema.optional(),
    size: z.union([fieldSchema, z.number().positive()]).optional().describe("a field, or the number itself"),
  }),
  rule("error", { text: fieldSchema, status: fieldSchema.optional(), code: fieldSchema.optional() }),
  rule("session", { id: fieldSchema.describe("the name by which `resume` continues the conversation") }),
  rule("done", {
    ok: fieldSchema.optional().describe("true, 0, or a word such as ok or success; left out: always"),
    text: fieldSchema.optional().describe("its last words; left out: what it said last"),
  }),
]);
export type SignalRule = z.infer<typeof signalRuleSchema>;
