import { z } from "zod";
import { riskSchema } from "../auto-approval.ts";
import { AGENT_KINDS } from "../agent/kinds/registry.ts";
import { handedSchema, outputSchema } from "../effects/artifact.ts";
import { AUTHORITIES, checkSchema, roleSchema, stepParts } from "./flow-parts.ts";
import { signalRuleSchema } from "../agent/command-signals.ts";
import { gateSchema } from "./gate.ts";
import { agentBudgetSchema } from "../requests/budget.ts";
import { nameSchema } from "../ids.ts";
import { variableNamesSchema } from "../settings/environment-settings.ts";
import { permissionsSchema } from "./permission-rules.ts";
import { sandboxModeSchema, sandboxNetworkSchema } from "../settings/sandbox-settings.ts";

/** How an agent is started. Which keys matter depends on `use`; a driver checks its own. */
export const agentSpecSchema = z.strictObject({
  use: z.enum(AGENT_KINDS).describe("the driver"),
  script: z.string().optional().describe("demo: a bundled script's name or a path to a script file"),
  module: z.string().optional().describe("function: path of the module that exports the agent"),
  export: z.string().optional().describe("function: name of the export, `default` if not given"),
  command: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      "acp, command, tmux: the program and its arguments; elsewhere: instead of the agent's own program",
    ),
  args: z.array(z.string()).optional().describe("arguments added to the agent's own"),
  model: z.string().min(1).optional().describe("the model it is to use"),
  account: nameSchema
    .optional()
    .describe("whose limits it meets, by any name; agents of one name share what is known of them"),
  env: z
    .record(z.string(), z.string())
    .optional()
    .describe("added to its environment; recorded, so no secrets"),
  inherit: z
    .union([z.literal("all"), z.array(z.string().min(1))])
    .optional()
    .describe(
      "names (or beginnings with *) of the only variables it inherits; all: all but Holdfast's own; default: env.inherit of the host",
    ),
  pass: variableNamesSchema
    .optional()
    .describe("names (or beginnings with *) of variables that it inherits beside those of the default list"),
  prompt: z.string().optional().describe("tmux: a regular expression for its prompt when it is idle"),
  dialog: z
    .array(
      z.strictObject({
        shows: z.string().min(1).describe("a regular expression for a line of it"),
        allow: z
          .array(z.string().min(1))
          .min(1)
          .optional()
          .describe("keys that allow it, as tmux names them"),
        deny: z.array(z.string().min(1)).min(1).optional().describe("keys that deny it"),
      }),
    )
    .max(32)
    .optional()
    .describe("tmux: dialogs of the program; one with keys for both answers is a request for permission"),
  signals: z
    .array(signalRuleSchema)
    .min(1)
    .max(64)
    .optional()
    .describe("command: it prints JSON Lines, and these say what they mean; without it, it prints text"),
  resume: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      "command: arguments that continue the conversation {session}, added or in the place of {resume}",
    ),
  compact: z
    .string()
    .min(1)
    .optional()
    .describe("acp, tmux: the message that makes it free context, such as /compact"),
  permissions: permissionsSchema
    .optional()
    .describe(
      "what becomes of its requests for permission: a person is asked (default), always the same, or by rules",
    ),
  sandbox: sandboxModeSchema
    .optional()
    .describe(
      "auto: in a sandbox where one is possible, if it works without asking; required: or it is not started; none; default: sandbox.agents of the host",
    ),
  network: sandboxNetworkSchema
    .optional()
    .describe("what it reaches of the network in a sandbox; default: sandbox.network of the host"),
});
export type AgentSpec = z.infer<typeof agentSpecSchema>;

export const stepSchema = z.strictObject({
  name: nameSchema,
  /** What the agent receives to do. */
  task: z.string().min(1),
  agent: nameSchema,
  /** Who takes it over when that agent is stuck and cannot be helped. */
  nextAgent: nameSchema.optional(),
  needs: z.array(nameSchema).default([]),
  phase: nameSchema.optional(),
  authority: z.enum(AUTHORITIES).default("writes"),
  attemptsMax: z.number().int().min(1).max(10).optional(),
  limitMs: z.number().int().min(1).optional(),
  budget: agentBudgetSchema.optional().describe("what the step may use up, over all its attempts"),
  checks: z.array(checkSchema).max(32).default([]),
  reviewers: z
    .array(nameSchema)
    .min(1)
    .max(8)
    .optional()
    .describe("agents that must accept the work once its checks have passed, each in a copy of its own"),
  outputs: z
    .array(outputSchema)
    .max(32)
    .optional()
    .describe("files that the step must deliver; later steps that need it get exactly these bytes"),
  risk: riskSchema.optional().describe("how much harm it can do; conditions of gates look at it"),
  ...stepParts,
});
export type Step = z.infer<typeof stepSchema>;

/** What becomes of a run when the time of a phase is used up. */
export const TIMEOUT_ENDS = ["ask", "escalate", "go_on", "cancel"] as const;
export type TimeoutEnd = (typeof TIMEOUT_ENDS)[number];

export const phaseSchema = z.strictObject({
  name: nameSchema,
  gate: gateSchema.optional(),
  limitMs: z.number().int().min(1).optional().describe("time its steps may take together"),
  onTimeout: z
    .enum(TIMEOUT_ENDS)
    .optional()
    .describe(
      "what follows when that time is used up: ask (a person; default), escalate (to an operator), go_on (it is only reported), cancel (the run)",
    ),
});

export const flowSchema = z.strictObject({
  name: nameSchema,
  steps: z.array(stepSchema).min(1),
  phases: z.array(phaseSchema).default([]),
  roles: z.record(nameSchema, roleSchema).optional().describe("who does steps, by what they are there for"),
  handed: z
    .array(handedSchema)
    .max(1_000)
    .optional()
    .describe("kept files of other runs that every step is given, besides those of the steps it builds on"),
});
export type Flow = z.infer<typeof flowSchema>;
