import { z } from "zod";

/** Ceilings of a run; an absent one is unlimited. */
export const budgetSchema = z.strictObject({
  usd: z.number().positive().optional(),
  tokens: z.number().int().positive().optional(),
  iterations: z.number().int().positive().optional(),
  timeMs: z.number().int().positive().optional(),
});
export type Budget = z.infer<typeof budgetSchema>;

/** What agents use up: money, tokens, answers of a model, and time at work. */
export const SPENT_KINDS = ["usd", "tokens", "turns", "timeMs"] as const;
export type SpentKind = (typeof SPENT_KINDS)[number];
export type Spent = Record<SpentKind, number>;

export const nothingSpent = (): Spent => ({ usd: 0, tokens: 0, turns: 0, timeMs: 0 });

const ON_EXCEED = ["stop", "warn"] as const;

/** Ceilings of a run of agents or of one of its steps. */
export const agentBudgetSchema = budgetSchema.extend({
  turns: z.number().int().positive().optional().describe("answers of a model"),
  onExceed: z
    .enum(ON_EXCEED)
    .describe("stop: nothing more is begun when it is spent (usual); warn: it is only told")
    .optional(),
  warnPct: z
    .number()
    .int()
    .min(1)
    .max(100)
    .describe("it is told when so much is spent; usual: 80")
    .optional(),
});
export type AgentBudget = z.infer<typeof agentBudgetSchema>;

/** What an agent's answers are counted as, whatever the budget calls them. */
export const ceilingOf = (budget: AgentBudget | undefined, kind: SpentKind): number | undefined =>
  kind === "turns" ? (budget?.turns ?? budget?.iterations) : budget?.[kind];
