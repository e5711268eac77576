import { z } from "zod";
import { event } from "./define-event.ts";
import { HOOK_POINTS } from "../flow/hook.ts";
import { POLICY_ACTIONS, POLICY_MOMENTS } from "../flow/policy.ts";

/** What policies and hooks decide. */
export const RULE_EVENTS = {
  PolicyApplied: event("A policy of the run found what it is about; `then` says what follows.", () =>
    z.object({
      policy: z.string(),
      then: z.enum(POLICY_ACTIONS),
      moment: z.enum(POLICY_MOMENTS),
      step: z.string(),
      attempt: z.string().optional(),
      evidence: z.array(z.string()),
    }),
  ),
  HookJudged: event("A hook was called, and its answer decides: go on, block, or go on with a warning.", () =>
    z.object({
      hook: z.string(),
      point: z.enum(HOOK_POINTS),
      subject: z.string(),
      step: z.string().optional(),
      outcome: z.enum(["passed", "warned", "blocked", "tampered", "in_doubt"]),
      why: z.string(),
      evidence: z.array(z.string()),
    }),
  ),
};
