import { reviewAnswerSchema, type ReviewReport } from "../../model/effects/evidence.ts";
import { exactKey } from "../../model/text/text-key.ts";
import { answerIn, shownAnswer } from "../../model/text/answer-in.ts";
import type { ReceivedAnswer } from "./read-answer.ts";

/** What a reviewer has said, held against the form of a verdict; anything else is none. */
export function reviewOf(
  agent: string,
  { said, problem, usd, tokens }: Omit<ReceivedAnswer, "cleanly">,
): ReviewReport {
  const cost = { usd, tokens, digest: digestOf(said) };
  if (problem !== null) return { ...noReview(agent, problem), ...cost };
  const parsed = reviewAnswerSchema.safeParse(answerIn(said));
  if (!parsed.success)
    return { ...noReview(agent, `what it said is no verdict: ${shownAnswer(said)}`), ...cost };
  return { agent, ...parsed.data, why: "", ...cost };
}

const digestOf = (said: unknown): string =>
  exactKey(typeof said === "string" ? said : (JSON.stringify(said) ?? ""));

export const noReview = (agent: string, why: string): ReviewReport => ({
  agent,
  verdict: "none",
  findings: [],
  why,
  digest: "",
  usd: 0,
  tokens: 0,
});
