import { z } from "zod";
import { idSchema } from "../ids.ts";
import { SPENT_KINDS } from "../requests/budget.ts";
import { event } from "./define-event.ts";

/** One setting that was changed, as it was and as it is. */
export const settingChangeSchema = z.object({
  key: idSchema,
  from: z.unknown().optional(),
  to: z.unknown(),
});
export type SettingChange = z.infer<typeof settingChangeSchema>;

/** What limits do to a run of agents, and who changes them. */
export const LIMIT_EVENTS = {
  BudgetPressed: event(
    "A budget is nearly or wholly spent; from then on live attempts have their grace.",
    () =>
      z.object({
        /** Whose budget; absent for the run's own. */
        step: idSchema.optional(),
        kind: z.enum(SPENT_KINDS),
        level: z.enum(["near", "spent"]),
        spent: z.number(),
        ceiling: z.number(),
        onExceed: z.enum(["stop", "warn"]),
        attempts: z.array(z.string()),
      }),
  ),
  RunSettingsChanged: event("Settings of a run were changed while it lives; they hold at once.", () =>
    z.object({ changes: z.array(settingChangeSchema), by: z.string(), note: z.string().optional() }),
  ),
};
