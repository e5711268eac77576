import { z } from "zod";

/** What a failure is, and so what may follow it (see `decide/attempt/retry-class.ts`). */
export const FAILURE_CLASSES = [
  /** Passes by itself: the network, an overloaded provider, a killed process. */
  "transient",
  /** Comes again however often it is tried: bad credentials, an unknown model. */
  "terminal",
  /** The provider asks to wait. */
  "rate_limited",
  /** Ended without evidence of success. */
  "contract_missed",
  /** What was delivered is not what was declared. */
  "artifact_invalid",
  /** A check that Holdfast ran itself did not pass. */
  "check_failed",
  /** The agent itself says, or its exit code does, that it did not succeed. */
  "agent_failed",
] as const;

export const failureSchema = z.object({
  class: z.enum(FAILURE_CLASSES),
  text: z.string(),
  /** Equal for failures that are the same but for numbers. */
  fingerprint: z.string(),
});
export type FailureClass = Failure["class"];
export type Failure = z.infer<typeof failureSchema>;
