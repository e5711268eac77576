import { z } from "zod";
import { ms, section } from "./setting-kinds.ts";

/** What people want to approve, whatever the flow says. */
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
