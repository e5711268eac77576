import { z } from "zod";
import { nameSchema } from "../ids.ts";
import { section } from "./setting-kinds.ts";

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
