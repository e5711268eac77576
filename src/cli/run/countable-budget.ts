import { ceilingOf, type AgentBudget, type SpentKind } from "../../model/requests/budget.ts";
import { Fault } from "../../model/fault.ts";
import type { AgentSpec, Flow } from "../../model/flow/flow.ts";
import type { Prices } from "../../model/settings/prices.ts";
import { countsOf, hasNoPrice } from "../../model/agent/what-counts.ts";

export interface BudgetOrder {
  readonly flow: Flow;
  readonly agents: Readonly<Record<string, AgentSpec>>;
  readonly budget: AgentBudget;
  readonly prices: Prices;
  readonly uncounted: "refuse" | "allow";
  readonly warn: ((text: string) => void) | undefined;
}

/** What can stand in for money and tokens: everybody's time and, for most, turns are seen as they pass. */
const KINDS = ["usd", "tokens", "turns"] as const satisfies readonly SpentKind[];
type Kind = (typeof KINDS)[number];

const WORDS: Readonly<Record<Kind, string>> = { usd: "money", tokens: "tokens", turns: "turns" };

/**
 * A budget brakes an agent only if what it limits is counted while the agent works. Where that is not so, the run is not
 * started: a budget that cannot brake would be taken for one that does.
 */
export function checkCountable(order: BudgetOrder): void {
  const { flow, agents, budget } = order;
  const found = [
    ...uncounted("the run", budget, Object.keys(agents), order),
    ...flow.steps.flatMap((step) =>
      uncounted(
        `step "${step.name}"`,
        step.budget,
        [step.agent, ...(step.nextAgent === undefined ? [] : [step.nextAgent])],
        order,
      ),
    ),
  ];
  if (found.length === 0) return;
  const text = found.join("; ");
  if (order.uncounted === "allow") {
    order.warn?.(`warning: ${text}; the budget brakes only between turns (budget.uncounted: allow)`);
    return;
  }
  throw new Fault(
    "usage",
    `${text}. Name a budget that can be counted: --budget-by time=2h or --budget-by turns=40 ` +
      "(budget: { timeMs, turns } in a file), or accept it with budget: { uncounted: allow } in holdfast.yaml",
    { details: { uncounted: found } },
  );
}

function uncounted(
  whose: string,
  budget: AgentBudget | undefined,
  names: readonly string[],
  { agents, prices }: BudgetOrder,
): string[] {
  if (budget === undefined || budget.onExceed === "warn" || budget.timeMs !== undefined) return [];
  return [...new Set(names)].flatMap((name) => {
    const spec = agents[name];
    if (spec === undefined || spec.use === "manual") return [];
    if (budget.turns !== undefined && countsOf(spec).turns === "live") return [];
    return KINDS.flatMap((kind) => {
      const why = ceilingOf(budget, kind) === undefined ? null : whyNot(spec, kind, prices);
      return why === null
        ? []
        : [`the budget of ${whose} limits ${WORDS[kind]}, but agent "${name}" (${spec.use}) ${why}`];
    });
  });
}

function whyNot(spec: AgentSpec, kind: Kind, prices: Prices): string | null {
  const counted = countsOf(spec)[kind];
  if (counted === "end") return `reports ${WORDS[kind]} only when its turn ends`;
  if (counted === "none") return `does not report ${WORDS[kind]}`;
  return kind === "usd" && hasNoPrice(spec, prices)
    ? `uses the model "${spec.model ?? ""}", which has no price (see \`prices\`)`
    : null;
}
