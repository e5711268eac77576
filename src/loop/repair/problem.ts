/** The documented rules that a history is held to, by stable name. */
export const MESSAGE_RULES = {
  "not-a-message": "every entry is an object with a role, or an item with a type",
  "empty-content": "a message has content, and a text block has text",
  "call-incomplete": "a call has an id and a name, and arguments in the vendor's form",
  "call-id-taken": "no two calls share an id",
  "call-id-invalid": "a call's id has the characters and the length that the vendor accepts",
  "call-unanswered": "every call has its result where the vendor expects it",
  "result-orphaned": "every result belongs to a call where the vendor expects one",
  "result-repeated": "a call has one result",
  "result-invalid": "a result has the vendor's form",
  "result-not-first": "results come before anything else in their message",
  "calls-empty": "a list of calls holds at least one",
  "reasoning-unsigned": "reasoning carries its signature",
  "reasoning-stranded": "reasoning is followed by what it led to",
  "item-repeated": "no two items share an id",
  "trailing-space": "the last assistant message does not end with white space",
} as const;
export type MessageRule = keyof typeof MESSAGE_RULES;

/** One breach of a vendor's documented rules. */
export interface Problem {
  readonly rule: MessageRule;
  /** Index of the message or item. */
  readonly at: number;
  readonly callId?: string;
  readonly detail: string;
}

/** Gathers problems. */
export class ProblemList {
  readonly problems: Problem[] = [];

  add(rule: MessageRule, at: number, callId?: unknown): void {
    const id = typeof callId === "string" ? { callId } : {};
    this.problems.push({ rule, at, ...id, detail: MESSAGE_RULES[rule] });
  }
}
