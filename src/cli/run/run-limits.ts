import { agentBudgetSchema, type AgentBudget } from "../../model/requests/budget.ts";
import type { Config } from "../../model/settings/config.ts";
import { durationMs } from "../../model/text/duration.ts";
import { Fault } from "../../model/fault.ts";

/** The limits of a run that its command line names. */
export function timeoutOf(text: string | undefined): { readonly runMs?: number } {
  if (text === undefined) return {};
  const runMs = durationMs(text);
  if (runMs > 0) return { runMs };
  throw new Fault("usage", `--timeout "${text}" is no time to work; expected one such as --timeout 2h`);
}

export interface BudgetWish {
  readonly budget?: string;
  readonly budgetBy?: readonly string[];
}

/** The budget of the configuration that is each run's own. */
export const runBudget = ({ budget }: Config): AgentBudget => agentBudgetSchema.strip().parse(budget);

/** `--budget 5`, and `--budget-by time=2h` or `turns=40` instead of it where money cannot be counted. */
export function budgetOf({ budget, budgetBy = [] }: BudgetWish): AgentBudget {
  const by = Object.assign({}, ...budgetBy.map(budgetByOf)) as AgentBudget;
  return { ...(budget === undefined ? {} : { usd: dollars(budget) }), ...by };
}

function dollars(text: string): number {
  const usd = Number(text);
  if (text.trim() !== "" && Number.isFinite(usd) && usd > 0) return usd;
  throw new Fault(
    "usage",
    `--budget "${text}" is no amount; expected dollars such as --budget 5 or --budget 2.50`,
  );
}

function budgetByOf(text: string): AgentBudget {
  const [kind = "", amount = ""] = text.split(/=(.*)/s);
  if (kind === "time" && /^\d/.test(amount)) {
    const timeMs = durationMs(amount);
    if (timeMs > 0) return { timeMs };
  }
  if (kind === "turns" && /^[1-9]\d*$/.test(amount)) return { turns: Number(amount) };
  throw new Fault(
    "usage",
    `--budget-by "${text}" is no budget; expected time=2h (time at work) or turns=40 (answers of a model)`,
  );
}
