import { z } from "zod";
import { hookSchema } from "../flow/hook.ts";
import { policySchema } from "../flow/policy.ts";
import { nameSchema } from "../ids.ts";
import { count, ms, section } from "./setting-kinds.ts";

/** When work that is accepted and shows nothing is looked at by a person. */
export const progressSettings = {
  roles: section({
    expert: nameSchema
      .optional()
      .describe("the agent that tries a step whose checks or attempts failed, once, before people are asked"),
  }),
  progress: section({
    turns: z
      .number()
      .int()
      .min(0)
      .max(1_000)
      .default(3)
      .describe(
        "so many steps accepted in a row that changed no file, delivered nothing and passed no check ask a person; 0: none do",
      ),
  }),
};

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

/** Rules of a run, and whom it asks at its turns. */
export const ruleSettings = {
  policies: z.array(policySchema).max(100).default([]).describe("rules about what runs may do"),
  hooks: z.array(hookSchema).max(50).default([]).describe("programs and addresses that are asked at points"),
};

/** What people want to approve, no matter what the flow says. */
export const gateSettings = {
  approve: section({
    plan: z.boolean().default(false).describe("ask before what a step named plan or planner made is worked"),
    completion: z.boolean().default(false).describe("ask before a run is completed"),
  }),
  gates: section({
    actionMs: ms(15 * 60_000, "time a gate's action may take, unless the gate says otherwise"),
  }),
  review: section({
    limitMs: ms(30 * 60_000, "time a reviewer has for its verdict"),
    usd: z.number().positive().default(5).describe("it is ended when it has cost more dollars than this"),
  }),
  reality: section({
    when: z
      .enum(["auto", "always", "never"])
      .default("auto")
      .describe("auto: evidence is run again at the end of flows of several steps; always: of every run"),
    demand: z.boolean().default(false).describe("ask a person before a run is completed that is not READY"),
    checks: z
      .array(z.string().min(1))
      .max(32)
      .default([])
      .describe("commands that must pass at the end, beside what steps have"),
  }),
};
