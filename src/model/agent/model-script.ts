import { z } from "zod";

/**
 * What a fake model says, turn by turn, and how its provider fails meanwhile. A conversation itself decides which turn
 * comes next: as many turns are over as the model has answers in the history of the request. So an agent that is
 * started again or resumed goes on where it was.
 */

/** The ways in which a provider fails or a model misbehaves, by stable name. */
export const MODEL_FAULTS = {
  rate_limit: "429, too many requests; `retryAfterS` names a wait",
  quota: "no money or quota is left",
  usage_limit: "429, the account's limit is used up; `resetsInS` says when it opens again",
  error: "an HTTP error of `status`, in the vendor's words",
  context_overflow: "400, the request is longer than the model's context",
  hang: "not one byte of an answer",
  hang_midstream: "half an answer, then silence",
  reset: "the connection is closed before an answer",
  cut: "the connection is closed in the middle of the answer",
  stream_error: "an error event within a stream that began well",
  garbage: "something that is no JSON",
  drip: "the whole answer, a few bytes every `everyMs`",
  bad_arguments: "tool calls whose arguments do not fit the tool",
  unknown_tool: "a call of a tool that was not offered",
  refusal: "the model declines",
  empty: "an answer with nothing in it",
  max_tokens: "an answer cut short by its own length limit",
} as const;
export type ModelFaultKind = keyof typeof MODEL_FAULTS;
const FAULT_KINDS = Object.keys(MODEL_FAULTS) as ModelFaultKind[];

/** The keys that mean something for one kind only. */
const KEY_OF_KIND = {
  retryAfterS: "rate_limit",
  resetsInS: "usage_limit",
  status: "error",
  everyMs: "drip",
} as const satisfies Record<string, ModelFaultKind>;

const countOr = (word: string) =>
  z.union([z.int().min(1), z.literal(word)], {
    error: `expected a whole number from 1 on, or "${word}"`,
  });

const modelFaultSchema = z
  .strictObject({
    kind: z.enum(FAULT_KINDS).describe("what goes wrong"),
    times: countOr("always").default(1).describe("how many requests of this turn it hits"),
    status: z.int().min(400).max(599).optional().describe("error: the HTTP status"),
    retryAfterS: z
      .number()
      .min(0)
      .optional()
      .describe("rate_limit: the wait that is named; none if not given"),
    resetsInS: z
      .number()
      .min(0)
      .optional()
      .describe("usage_limit: from now to the reset; an hour if not given"),
    everyMs: z.int().min(1).max(60_000).optional().describe("drip: between two pieces; 100 if not given"),
  })
  .superRefine((fault, context) => {
    for (const [key, kind] of Object.entries(KEY_OF_KIND))
      if (fault[key as keyof typeof KEY_OF_KIND] !== undefined && fault.kind !== kind)
        context.addIssue({ code: "custom", path: [key], message: `expected only with kind ${kind}` });
    if (fault.kind === "error" && fault.status === undefined)
      context.addIssue({
        code: "custom",
        path: ["status"],
        message: "expected an HTTP status from 400 to 599",
      });
  });
export type ModelFault = z.infer<typeof modelFaultSchema>;

const ACT_KEYS = ["write", "run", "read", "tool"] as const;

const modelActSchema = z
  .strictObject({
    write: z
      .strictObject({ file: z.string().min(1), content: z.string() })
      .optional()
      .describe("writes a file, with whichever tool the agent offers for it"),
    run: z.string().min(1).optional().describe("runs a shell command"),
    read: z.string().min(1).optional().describe("reads a file"),
    tool: z
      .strictObject({ name: z.string().min(1), arguments: z.record(z.string(), z.json()).default({}) })
      .optional()
      .describe("calls exactly this tool"),
  })
  .refine((act) => ACT_KEYS.filter((key) => act[key] !== undefined).length === 1, {
    error: `expected exactly one of ${ACT_KEYS.join(", ")}`,
  });
export type ModelAct = z.infer<typeof modelActSchema>;

const modelTurnSchema = z.strictObject({
  say: z.string().optional().describe("what the model says"),
  acts: z.array(modelActSchema).max(50).default([]).describe("the tools it calls, all in one answer"),
  usage: z
    .strictObject({
      input: z.int().min(0),
      output: z.int().min(0),
      cachedInput: z.int().min(0).default(0),
    })
    .optional()
    .describe("the tokens it reports; estimated from the text if not given"),
  delayMs: z.int().min(0).max(3_600_000).default(0).describe("how long the model thinks first"),
  repeat: countOr("forever").default(1).describe("how many turns in a row are this one"),
  faults: z.array(modelFaultSchema).max(50).default([]).describe("one after the other, before it goes well"),
});
export type ModelTurn = z.infer<typeof modelTurnSchema>;

const turnsSchema = z.array(modelTurnSchema).min(1).max(10_000);

export const modelScriptSchema = z.strictObject({
  turns: turnsSchema.describe("of every conversation that has no turns of its own"),
  sessions: z
    .record(
      z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, "expected letters, digits, dots and dashes"),
      turnsSchema,
    )
    .default({})
    .describe("turns by mark: /s/MARK in the address, or [session MARK] in a prompt"),
});
export type ModelScript = z.infer<typeof modelScriptSchema>;
/** As a person writes it, without what has a default. */
export type ModelScriptInput = z.input<typeof modelScriptSchema>;

export const modelScriptJsonSchema = (): unknown => z.toJSONSchema(modelScriptSchema, { io: "input" });
