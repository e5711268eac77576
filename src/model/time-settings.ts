import { z } from "zod";
import { count, section } from "./setting-kinds.ts";

/** How long a run and its phases may take; waiting for a person is not counted. */
export const timeSettings = {
  time: section({
    runMs: z.number().int().min(1).optional().describe("time the run may work; none: as long as it takes"),
    phaseMs: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe("time the steps of one phase may take together; a phase may name its own"),
    warnPct: count(80, 100, "`status` shows a time limit of which so much is used"),
  }),
};
