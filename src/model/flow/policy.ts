import { z } from "zod";
import { nameSchema } from "../ids.ts";

export const POLICY_ACTIONS = ["block", "warn", "escalate"] as const;

const RULES = ["maxTurns", "maxUsd", "maxTokens", "sameInARow", "requires", "forbidsAgent"] as const;

/** A rule about what a run may do. Exactly one of its keys after `then` says what it forbids. */
export const policySchema = z
  .strictObject({
    name: nameSchema,
    then: z
      .enum(POLICY_ACTIONS)
      .describe(
        "block: it is not done, and a person is asked when nothing else can go on; warn: it is only reported; escalate: an operator is asked at once, sessions live on",
      ),
    maxTurns: z.number().int().min(1).optional().describe("answers of the model in one attempt"),
    maxUsd: z.number().positive().optional().describe("dollars of a step, over all its attempts"),
    maxTokens: z.number().int().min(1).optional().describe("tokens of a step, over all its attempts"),
    sameInARow: z
      .number()
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe("attempts that one role, or one agent where there are no roles, may begin in a row"),
    requires: z
      .strictObject({
        step: nameSchema,
        status: z.enum(["succeeded", "failed", "skipped"]).default("succeeded"),
      })
      .optional()
      .describe("another step that must stand so before"),
    forbidsAgent: nameSchema.optional().describe("an agent that may not do it"),
    role: nameSchema.optional().describe("only for steps of this role"),
    step: nameSchema.optional().describe("only for this step"),
    phase: nameSchema.optional().describe("only for steps of this phase"),
    agent: nameSchema.optional().describe("only for steps of this agent"),
  })
  .superRefine((policy, context) => {
    const named = RULES.filter((rule) => policy[rule] !== undefined);
    if (named.length !== 1)
      context.addIssue({ code: "custom", message: `expected exactly one of ${RULES.join(", ")}` });
  });
export type Policy = z.infer<typeof policySchema>;

/** Whether a rule is about a step. */
export const isPolicyAbout = (
  { role, step, phase, agent }: Policy,
  of: {
    readonly name: string;
    readonly role?: string | undefined;
    readonly phase?: string | undefined;
    readonly agent: string;
  },
): boolean =>
  (role === undefined || role === of.role) &&
  (step === undefined || step === of.name) &&
  (phase === undefined || phase === of.phase) &&
  (agent === undefined || agent === of.agent);

/** When a rule was looked at. */
export const POLICY_MOMENTS = ["dispatch", "work"] as const;
