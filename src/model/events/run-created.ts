import { z } from "zod";
import { runSourceSchema } from "../flow/bindings.ts";
import { agentBudgetSchema } from "../requests/budget.ts";
import { agentSpecSchema, flowSchema } from "../flow/flow.ts";
import { placementSchema } from "../host/placement.ts";
import { askedSchema } from "../host/store-resource.ts";
import { idSchema, nameSchema } from "../ids.ts";
import { approverKeySchema } from "../requests/principal.ts";
import { runSettingsSchema } from "../settings/settings.ts";

/** Everything that is needed to work a run. */
export const runCreatedSchema = z.object({
  goal: z.string(),
  flow: flowSchema,
  agents: z.record(nameSchema, agentSpecSchema),
  settings: runSettingsSchema,
  budget: agentBudgetSchema,
  cwd: z.string(),
  /** The repository that `cwd` is in; none: that folder is taken for it. */
  repository: z.string().optional(),
  /** The tree that `cwd` is in, where that is more than the folder itself. */
  tree: idSchema.optional(),
  by: z.string(),
  /** By which request it was asked for, and from where, as far as that was not the command line. */
  ...askedSchema.shape,
  /** Whose proofs count at its gates; absent in runs of versions that asked for none. */
  approverKeys: z.array(approverKeySchema).max(100).optional(),
  /** The run whose agent asked for this one, or the run at the root of those; none where nobody's agent did. */
  family: z.string().optional(),
  /** Where that was written, if it was. */
  source: runSourceSchema.optional(),
  /** Which hosts may work it; absent: any. */
  placement: placementSchema.optional(),
});
