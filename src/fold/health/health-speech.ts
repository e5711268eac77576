import type { Flag, HealthState } from "../../model/agent/health.ts";
import type { Observed } from "../../model/agent/observed.ts";
import type { HealthLimits } from "./health-limits.ts";

/** A text of fewer letters is a word or a divider, and comes again in any answer that is given in pieces. */
const LETTERS_MIN = 8;
const SHORT_ROUNDS = 10;
const CHANTS = 10;
const PROMISES = 3;

/** Takes a message of the agent; says whether it talks to itself, or announces without acting. */
export function observeSpoken(
  health: HealthState,
  { spoken, words }: Extract<Observed, { kind: "said" }>,
  at: number,
  limits: HealthLimits,
): Flag | null {
  const { said } = health;
  const inCode = said.inFence || spoken.fences > 0;
  if (spoken.fences % 2 === 1) said.inFence = !said.inFence;
  said.asks = spoken.asks;
  said.at = at;
  if (inCode || spoken.letters === 0) return null;
  said.run = said.alike === spoken.alike ? said.run + 1 : 1;
  said.alike = spoken.alike;
  said.promises = spoken.promises ? said.promises + 1 : 0;
  const rounds = spoken.letters < LETTERS_MIN ? SHORT_ROUNDS : limits.monologue;
  // Where results come, one that is awaited breaks the silence: what is said meanwhile is no talk with itself.
  const alone = health.open.length === 0 || health.resultsSeen === 0;
  if (said.run >= rounds && alone)
    return {
      pattern: "monologue",
      at,
      confidence: 0.9,
      evidence: [`the same words ${String(said.run)} times with nothing done in between: ${words}`],
    };
  if (spoken.chants >= CHANTS)
    return {
      pattern: "monologue",
      at,
      confidence: 0.85,
      evidence: [`one sentence stands ${String(spoken.chants)} times in one message: ${words}`],
    };
  if (said.promises >= PROMISES && alone)
    return {
      pattern: "promise",
      at,
      confidence: 0.7,
      evidence: [
        `${String(said.promises)} messages in a row announce an action that did not follow: ${words}`,
      ],
    };
  return null;
}
