import { z } from "zod";
import { count, ms, section } from "./setting-kinds.ts";

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
  suspend: section({
    turnMs: ms(
      60_000,
      "while people are asked, an agent at work has so long to end its turn before its session is suspended",
    ),
    waitMs: ms(
      30 * 60_000,
      "a session that is idle because it waits for the answer itself is suspended after so long",
    ),
  }),
};
