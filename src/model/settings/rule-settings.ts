import { z } from "zod";
import { hookSchema } from "../flow/hook.ts";
import { policySchema } from "../flow/policy.ts";

/** Rules of a run, and whom it asks at its turns. */
export const ruleSettings = {
  policies: z.array(policySchema).max(100).default([]).describe("rules about what runs may do"),
  hooks: z.array(hookSchema).max(50).default([]).describe("programs and addresses that are asked at points"),
};
