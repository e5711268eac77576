import { CAPABILITIES } from "../model/agent-kinds.ts";
import { ceilingOf, type AgentBudget } from "../model/budget.ts";
import type { RunEvent } from "../model/events.ts";
import type { AttemptState, RunState } from "../model/run-state.ts";
import { amountText } from "./amount-text.ts";
import { suspendAttempt } from "./suspend.ts";

/** A budget of money alone, which is to stop what cannot be counted. */
const needsMoney = (budget: AgentBudget): boolean =>
  ceilingOf(budget, "usd") !== undefined &&
  ceilingOf(budget, "timeMs") === undefined &&
  ceilingOf(budget, "turns") === undefined &&
  budget.onExceed !== "warn" &&
  budget.uncounted !== "allow";

/** Which model an agent uses is often known only when it has answered: its price may be missing then. */
const isUncounted = ({ agents }: RunState, { agent, counted, spent, ending, exit }: AttemptState): boolean =>
  ending === null &&
  exit === null &&
  CAPABILITIES[agents[agent]?.use ?? "manual"].counts.usdBy === "prices" &&
  counted.unpricedTokens > 0 &&
  spent.usd === 0;

/** A budget of money that nobody can count stops the run at the first answer, before more is spent (B2). */
export function brakeUncounted(state: RunState): RunEvent[] {
  if (state.status !== "running" || !needsMoney(state.budget)) return [];
  const found = Object.values(state.attempts).filter((attempt) => isUncounted(state, attempt));
  const [first] = found;
  if (first === undefined) return [];
  const detail = uncountedText(first);
  const blocked = {
    reason: "budget_exhausted",
    detail,
    step: first.step,
    attemptKept: true,
    guidance: [],
  } as const;
  return [
    { type: "RunBlocked", data: { blocked: { ...blocked, guidance: [] } } },
    ...found.map((attempt) => suspendAttempt(attempt, detail)),
  ];
}

const uncountedText = ({ agent, counted }: AttemptState): string => {
  const { model } = counted.used;
  return (
    `the budget limits money, but what agent "${agent}" spends cannot be counted: ` +
    `${model === null ? "its model is not known" : `its model "${model}" has no price`} (see \`prices\`); ` +
    `${amountText("tokens", counted.unpricedTokens)} tokens so far`
  );
};

/** The words that let such a run continue: whoever says them accepts that the budget does not brake. */
export const acceptUncounted = ({ budget, counted }: RunState): string[] =>
  needsMoney(budget) && counted.unpricedTokens > 0 ? ["budget.uncounted=allow"] : [];
