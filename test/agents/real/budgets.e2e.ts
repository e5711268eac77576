import { test } from "node:test";
import { agentsTier } from "../agents-tier.ts";
import { BUDGETS, LOOPS, playBudget, type BudgetKind } from "../brakes/budget-cell.ts";
import { ALL_PERFORMERS } from "./performers.ts";

for (const agent of ALL_PERFORMERS)
  for (const kind of Object.keys(BUDGETS) as BudgetKind[])
    for (const loop of Object.keys(LOOPS))
      test(
        `B2 a budget of ${kind} brakes the real ${agent.name} on ${loop}, or is refused before the start`,
        { skip: agent.missing || agentsTier },
        async (t) => {
          await playBudget(t, agent, kind, loop);
        },
      );
