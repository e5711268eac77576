import { z } from "zod";
import { count, section } from "./setting-kinds.ts";

/** How far agents may plan. */
export const planSettings = {
  plan: section({
    replans: z
      .number()
      .int()
      .min(0)
      .max(10)
      .default(2)
      .describe("how often the rest of a plan is replanned when one of its steps has failed"),
    stepsMax: count(50, 1_000, "steps of one plan"),
    commands: z
      .array(z.string().min(1).max(4_000))
      .max(100)
      .optional()
      .describe(
        'commands that a plan may name as checks without being asked about, word for word; ["*"]: any; default: those that the flow and --check name',
      ),
  }),
};
