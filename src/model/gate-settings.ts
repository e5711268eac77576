import { z } from "zod";
import { section } from "./setting-kinds.ts";

/** What people want to approve, whatever the flow says. */
export const gateSettings = {
  approve: section({
    plan: z.boolean().default(false).describe("ask before what a step named plan or planner made is worked"),
    completion: z.boolean().default(false).describe("ask before a run is completed"),
  }),
};
