import { Fault } from "../model/fault.ts";
import { budgetSchema, type Budget } from "../model/requests/budget.ts";
import { misused, shown } from "./check-usage.ts";
import type { Spending } from "./body.ts";

const KINDS = Object.keys(budgetSchema.shape);
const SPENDING_KINDS: readonly string[] = ["tokens", "usd"];

/** A budget as it was given by a program, or an error that names the part that is wrong. */
export function checkBudget(budget: unknown, whose: string): Budget {
  const parsed = budgetSchema.safeParse(budget);
  if (parsed.success) return parsed.data;
  if (typeof budget !== "object" || budget === null)
    throw new Fault(
      "usage",
      `the budget of ${whose} is ${String(budget)}; expected an object such as { tokens: 1000 }`,
    );
  const given = budget as Record<string, unknown>;
  const unknown = Object.keys(given).find((kind) => !KINDS.includes(kind));
  if (unknown !== undefined)
    throw new Fault(
      "usage",
      `the budget of ${whose} has no kind "${unknown}"; kinds are ${KINDS.join(", ")}`,
    );
  const wrong = String(parsed.error.issues[0]?.path[0]);
  const whole = wrong === "usd" ? "number" : "whole number";
  throw new Fault(
    "usage",
    `the budget of ${whose} has ${wrong}: ${String(given[wrong])}; expected a ${whole} above 0, or leave it out for no limit`,
  );
}

export function checkSpending(spending: Spending): Spending {
  if (typeof spending !== "object" || (spending as unknown) === null)
    throw misused("spend()", shown(spending), "an object such as { tokens: 1200, usd: 0.04 }");
  for (const [kind, amount] of Object.entries(spending as Record<string, number | undefined>)) {
    if (!SPENDING_KINDS.includes(kind))
      throw new Fault(
        "usage",
        `spend() has no kind "${kind}"; kinds are ${SPENDING_KINDS.join(", ")} (iterations and time are counted by themselves)`,
      );
    if (amount !== undefined && (typeof amount !== "number" || !Number.isFinite(amount) || amount < 0))
      throw new Fault(
        "usage",
        `spend() was given ${kind}: ${String(amount)}; expected a number of 0 or more`,
      );
  }
  return spending;
}
