import { ceilingOf, type AgentBudget } from "../../model/requests/budget.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { AttemptState, RunState, StepState } from "../../model/state/run-state.ts";
import { countsOf } from "../../model/agent/what-counts.ts";
import { amountText } from "./amount-text.ts";
import { suspendAttempt } from "../attempt/quarantine.ts";

/** A budget of money alone, which is to stop what cannot be counted. */
const needsMoney = (budget: AgentBudget): boolean =>
  ceilingOf(budget, "usd") !== undefined &&
  ceilingOf(budget, "timeMs") === undefined &&
  ceilingOf(budget, "turns") === undefined &&
  budget.onExceed !== "warn" &&
  budget.uncounted !== "allow";

/** The same of a step's own budget; what was accepted for the run is accepted for its steps. */
const stepNeedsMoney = ({ budget: ofRun }: RunState, step: StepState | undefined): boolean => {
  const budget = step?.spec.budget;
  return budget !== undefined && needsMoney({ ...budget, uncounted: budget.uncounted ?? ofRun.uncounted });
};

/** Which model an agent uses is often known only when it has answered: its price may be missing then. */
const isUncounted = ({ agents }: RunState, { agent, counted, spent, ending, exit }: AttemptState): boolean =>
  ending === null &&
  exit === null &&
  countsOf(agents[agent] ?? { use: "manual" }).usdBy !== "agent" &&
  counted.unpricedTokens > 0 &&
  spent.usd === 0;

/** A budget of money that nobody can count stops the run at the first answer, before more is spent (B2). */
export function brakeUncounted(state: RunState): RunEvent[] {
  if (state.status !== "running") return [];
  const ofRun = needsMoney(state.budget);
  const found = Object.values(state.attempts).filter(
    (attempt) => (ofRun || stepNeedsMoney(state, state.steps[attempt.step])) && isUncounted(state, attempt),
  );
  const [first] = found;
  if (first === undefined) return [];
  const detail = uncountedText(first, ofRun ? "the budget" : `the budget of step "${first.step}"`);
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

const uncountedText = ({ agent, counted }: AttemptState, budget: string): string => {
  const { model } = counted.used;
  return (
    `${budget} limits money, but what agent "${agent}" spends cannot be counted: ` +
    `${model === null ? "its model is not known" : `its model "${model}" has no price`} (see \`prices\`); ` +
    `${amountText("tokens", counted.unpricedTokens)} tokens so far`
  );
};

/** The words that let such a run continue: the one that says them accepts that the budget does not brake. */
export const acceptUncounted = (state: RunState): string[] =>
  state.counted.unpricedTokens === 0
    ? []
    : [
        ...(needsMoney(state.budget) ? ["budget.uncounted=allow"] : []),
        ...(isStoppedUncounted(state) ? [`step.${state.blocked?.step ?? ""}.budget.uncounted=allow`] : []),
      ];

/** Its own budget stopped this step although no money of it is known to be spent. */
function isStoppedUncounted(state: RunState): boolean {
  const step = state.steps[state.blocked?.step ?? ""];
  return (
    step !== undefined &&
    stepNeedsMoney(state, step) &&
    step.spent.tokens > 0 &&
    step.spent.usd < (ceilingOf(step.spec.budget, "usd") ?? 0)
  );
}
