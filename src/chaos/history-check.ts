import { checkMessages } from "../loop/repair/check-messages.ts";

type Problem = ReturnType<typeof checkMessages>[number];
type Shape = Parameters<typeof checkMessages>[1];

/** What vendors refuse of calls and results; the other rules are about taste that differs between models. */
const REFUSED: ReadonlySet<Problem["rule"]> = new Set([
  "not-a-message",
  "call-incomplete",
  "call-id-taken",
  "call-unanswered",
  "result-orphaned",
  "result-repeated",
  "result-invalid",
]);

/** The first breach of a vendor's rules for calls and results in a history. */
export const firstBreach = (messages: readonly unknown[], shape: Shape): Problem | undefined =>
  checkMessages(messages, shape).find(({ rule }) => REFUSED.has(rule));
