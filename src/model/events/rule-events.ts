import { z } from "zod";
import { idSchema } from "../ids.ts";
import { event } from "./define-event.ts";
import { HOOK_POINTS } from "../flow/hook.ts";
import { POLICY_ACTIONS, POLICY_MOMENTS } from "../flow/policy.ts";

/** What policies and hooks decide. */
export const RULE_EVENTS = {
  PolicyApplied: event("A policy of the run found what it is about; `then` says what follows.", () =>
    z.object({
      policy: idSchema,
      then: z.enum(POLICY_ACTIONS),
      moment: z.enum(POLICY_MOMENTS),
      step: idSchema,
      attempt: idSchema.optional(),
      evidence: z.array(z.string()),
    }),
  ),
  HookJudged: event("A hook was called, and its answer decides: go on, block, or go on with a warning.", () =>
    z.object({
      hook: idSchema,
      point: z.enum(HOOK_POINTS),
      subject: z.string(),
      step: idSchema.optional(),
      outcome: z.enum(["passed", "warned", "blocked", "tampered", "in_doubt"]),
      why: z.string(),
      evidence: z.array(z.string()),
    }),
  ),
};
