import { z } from "zod";
import { section } from "./setting-kinds.ts";

/** Of the host, whose secrets these are. */
export const secretSettings = {
  secrets: section({
    names: z
      .array(z.string().min(1))
      .max(200)
      .default([])
      .describe("variables of the environment that hold a secret although their names do not say so"),
    files: z
      .array(z.string().regex(/^[/~]/, "a path that begins with / or ~"))
      .max(50)
      .default([])
      .describe(
        "files that hold secrets: lines NAME=VALUE, or a secret per line; such as ~/.netrc or a .env",
      ),
  }),
};
