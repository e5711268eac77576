import { z } from "zod";
import { outputSchema } from "../effects/artifact.ts";
import { nameSchema } from "../ids.ts";

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

export const AUTHORITIES = ["writes", "proposes", "reviews"] as const;

/** Who does a step, by what they are there for instead of by name. */
export const roleSchema = z.strictObject({
  agent: nameSchema
    .optional()
    .describe("the agent that has this role; default: the one of the role's name, or of --agent"),
  authority: z
    .enum(AUTHORITIES)
    .optional()
    .describe(
      "writes (default); proposes: in a copy, for somebody to apply; reviews: what it changes is put back",
    ),
});

const outputPath = outputSchema.shape.path;

/** A file that an earlier step has delivered; exactly those bytes are handed on. */
export const inputSchema = z.strictObject({
  step: nameSchema.describe("the step that delivers it, which this step then needs"),
  output: outputPath.describe("the path of that step's output"),
  optional: z.boolean().optional().describe("true: where it was not delivered the step begins without it"),
});

/** What must hold of a step that is needed. One of `status`, `verdict` and `output` says what is looked at. */
export const conditionSchema = z
  .strictObject({
    step: nameSchema.describe("the step that is looked at, which this step then needs"),
    status: z.enum(["succeeded", "failed", "skipped"]).optional().describe("how that step must have ended"),
    verdict: z.enum(["pass", "fail"]).optional().describe("what its checks must have said"),
    output: outputPath.optional().describe("a JSON file that it delivers, for a value in it"),
    at: z
      .string()
      .regex(/^(\/[^/]*)*$/, "a JSON pointer such as /ready or /parts/0/state")
      .optional()
      .describe("where in that file the value is, as a JSON pointer; default: the whole file"),
    equals: z.json().optional().describe("the value must be this"),
    not: z.json().optional().describe("the value must be another than this"),
    above: z.number().optional().describe("the value must be a number above this"),
    below: z.number().optional().describe("the value must be a number below this"),
  })
  .superRefine(({ status, verdict, output, at, equals, not, above, below }, context) => {
    const say = (message: string): void => {
      context.addIssue({ code: "custom", message });
    };
    const asked = [status, verdict, output].filter((one) => one !== undefined).length;
    const compared = [equals, not, above, below].some((one) => one !== undefined);
    if (asked !== 1) say("expected exactly one of status, verdict and output");
    else if (output === undefined && (compared || at !== undefined))
      say("at, equals, not, above and below are for a value of an output; expected the key output");
    else if (output !== undefined && !compared) say("expected one of equals, not, above and below");
  });
export type Condition = z.infer<typeof conditionSchema>;

/** A step whose agent turns the goal into further steps. */
export const plansSchema = z.strictObject({
  agents: z
    .array(nameSchema)
    .min(1)
    .max(50)
    .optional()
    .describe("agents that planned steps may name; the first is for those that name none; default: its own"),
  checks: z
    .array(checkSchema)
    .max(32)
    .optional()
    .describe("checks of every planned step; those that a plan names come behind them"),
  reviewers: z
    .array(nameSchema)
    .min(1)
    .max(8)
    .optional()
    .describe("agents that must accept the work of every planned step that writes"),
});

/** What a step may say of what it waits for and what it gets. */
export const stepParts = {
  role: nameSchema.optional().describe("one of the flow's roles, instead of an agent and an authority"),
  inputs: z
    .array(inputSchema)
    .max(64)
    .optional()
    .describe(
      "outputs of earlier steps that it is given, and no others; default: all of the steps it builds on",
    ),
  when: z
    .array(conditionSchema)
    .min(1)
    .max(32)
    .optional()
    .describe("conditions, all of which must hold; otherwise the step is skipped"),
  onSkipped: z
    .enum(["skip", "run"])
    .optional()
    .describe("where a step that it needs was skipped: it is skipped too (default), or begins all the same"),
  plans: plansSchema
    .optional()
    .describe("its agent plans: it delivers further steps as JSON, which are added to the run"),
};
