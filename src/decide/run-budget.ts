import type { RunEvent } from "../model/events.ts";
import type { Budget } from "../model/flow.ts";
import type { RunState } from "../model/run-state.ts";

/** Kinds of a budget that agents use up. */
const KINDS = ["usd", "tokens"] as const;
type Kind = (typeof KINDS)[number];

/** The kind of which nothing is left under a budget; the attempt that used it up is accepted all the same (G9). */
export const spentKind = ({ budget, spent }: RunState, under: Budget = budget): Kind | null =>
  KINDS.find((kind) => isSpent(spent[kind], under[kind])) ?? null;

const isSpent = (spent: number, ceiling: number | undefined): boolean => spent >= (ceiling ?? Infinity);

export const budgetSpent = (state: RunState, kind: Kind): RunEvent => ({
  type: "RunBlocked",
  data: {
    blocked: {
      reason: "budget_exhausted",
      detail: `${String(state.spent[kind])} of ${String(state.budget[kind])} ${kind} are spent`,
      attemptKept: false,
      guidance: [],
    },
  },
});

/** What would let the run work about as long again: all that is spent, or one would be refused for the other's sake. */
export const enoughBudget = ({ spent, budget }: RunState): string[] =>
  KINDS.filter((kind) => isSpent(spent[kind], budget[kind])).map(
    (kind) => `budget.${kind}=${String(Math.ceil(Math.max(spent[kind], budget[kind] ?? 0) * 2))}`,
  );
