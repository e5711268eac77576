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

/** Where health draws its lines. */
export const healthSettings = section({
  tickMs: ms(30_000, "what is bad or good must last ticks of this length before it is called so"),
  badTicks: count(2, 100, "ticks that something must be bad to be called degraded"),
  stuckTicks: count(3, 100, "and further ticks to be called stuck"),
  calmTicks: count(2, 100, "ticks that something stuck must be better to be called degraded"),
  goodTicks: count(3, 100, "and further ticks to be called healthy"),
  idleMs: ms(120_000, "an agent that waits for nothing is degraded after so long without a word"),
  errorDegradedPct: count(30, 100, "so many of the last ten calls failed: degraded"),
  errorStuckPct: count(50, 100, "and stuck where none of them brought anything new"),
  failuresInARow: count(5, 100, "this many failed calls in a row are an error loop, of any kind"),
  sameError: count(5, 100, "the same error of an agent or its provider so often in a row is an error loop"),
  errorsInARow: count(
    8,
    100,
    "errors of any kind so often in a row, with no call between, are an error loop",
  ),
  unmarkedFailures: count(
    8,
    100,
    "results in a row that read like failures, though none is marked as one, are an error loop",
  ),
  callApartMs: ms(240_000, "a model that takes so long before each of its last four calls is degraded"),
  blindCalls: count(5, 100, "the same call so often is a loop where an agent shows no results"),
  period: count(8, 8, "calls of the longest cycle that is looked for"),
  silenceMs: ms(300_000, "an agent that waits for nothing is stuck after so long without a word"),
  turnDegradedMs: ms(300_000, "a model that has not answered for so long is degraded"),
  turnStuckMs: ms(900_000, "and stuck after so long"),
  toolMs: ms(3_600_000, "a tool call may take so long, or longer if it says so itself"),
  limitWaitMs: ms(300_000, "how long a provider's limit is waited for that names no end"),
  sameFailure: count(3, 100, "the same failure of the same call so often is an error loop"),
  sameCall: count(4, 100, "the same call with the same result so often is a loop"),
  monologue: count(3, 100, "the same words so often are a monologue"),
  alternation: count(6, 100, "steps of a cycle of calls or edits that make a loop"),
  contextDegradedPct: count(85, 100, "a context this full is degraded"),
  contextStuckPct: count(95, 100, "and stuck when this full"),
});
