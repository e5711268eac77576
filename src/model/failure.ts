import { z } from "zod";

export const failureSchema = z.object({
  /** `transient` may be tried again, `terminal` never, `contract_missed` ended without evidence of success. */
  class: z.enum(["transient", "terminal", "contract_missed"]),
  text: z.string(),
  /** Equal for failures that are the same but for numbers. */
  fingerprint: z.string(),
});
export type Failure = z.infer<typeof failureSchema>;
