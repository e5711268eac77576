import { z } from "zod";
import { section } from "./setting-kinds.ts";

export const variableNamesSchema = z
  .array(
    z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, "expected the name of a variable, or its beginning and *"),
  )
  .max(200);

/** Of the host, since it decides what of its owner's keys programs of a repository get. */
export const environmentSettings = {
  env: section({
    inherit: z
      .enum(["listed", "all"])
      .default("listed")
      .describe(
        "what agents, checks and hooks get of the supervisor's environment: listed: what programs commonly need, and the agent's own keys; all: everything but Holdfast's own",
      ),
    pass: variableNamesSchema
      .default([])
      .describe("names (or beginnings with *) of variables that they get too, such as DATABASE_URL"),
  }),
};

export type EnvironmentSettings = z.infer<(typeof environmentSettings)["env"]>;
