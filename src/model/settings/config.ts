import { z } from "zod";
import { BUDGET_DEFAULTS, agentBudgetSchema } from "../requests/budget.ts";
import { agentSpecSchema } from "../flow/flow.ts";
import { nameSchema } from "../ids.ts";
import { dayBudgetSchema } from "../host/store-resource.ts";
import { hostSettingsSchema, runSettingsSchema } from "./settings.ts";

/** `holdfast.yaml` and its siblings. Every key here changes what happens; a test walks this schema and proves it. */
export const configSchema = z.strictObject({
  agents: z.record(nameSchema, agentSpecSchema).default({}).describe("agents by name"),
  ...runSettingsSchema.shape,
  ...hostSettingsSchema.shape,
  /** What each run may use up; `--budget` names the dollars of one. */
  budget: agentBudgetSchema
    .extend({
      onExceed: agentBudgetSchema.shape.onExceed.unwrap().default("stop"),
      warnPct: agentBudgetSchema.shape.warnPct.unwrap().default(BUDGET_DEFAULTS.warnPct),
      graceMs: agentBudgetSchema.shape.graceMs.unwrap().default(BUDGET_DEFAULTS.graceMs),
      day: dayBudgetSchema
        .optional()
        .describe("what all runs of a store may spend together in one day (UTC)"),
      uncounted: agentBudgetSchema.shape.uncounted.unwrap().default("refuse"),
      gracePct: agentBudgetSchema.shape.gracePct.unwrap().default(BUDGET_DEFAULTS.gracePct),
    })
    .prefault({}),
});
export type Config = z.infer<typeof configSchema>;

export const configJsonSchema = (): unknown => z.toJSONSchema(configSchema, { io: "input" });
