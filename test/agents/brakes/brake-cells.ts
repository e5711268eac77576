import { whyNotPossible } from "../real/not-possible.ts";
import { ALL_PERFORMERS, type NamedPerformer } from "../real/performers.ts";
import { BUDGETS, LOOPS, playBudget, type BudgetKind } from "./budget-cell.ts";
import { approveLate, lateMissing } from "./late-approval-cell.ts";
import type { CellContext, Played } from "./played.ts";
import { SCENES, playScene } from "./success-cell.ts";
import { CAUSES, suspend } from "./suspension-cell.ts";

export const TABLES = ["success", "budgets", "suspension"] as const;
export type TableName = (typeof TABLES)[number];

/** One real agent in one situation, in which it must be braked, or must not be. */
export interface BrakeCell {
  readonly table: TableName;
  readonly agent: string;
  readonly name: string;
  /** Why it is not installed here. */
  readonly missing: string | false;
  /** Why there is no such situation with this agent. */
  readonly notPossible: string | false;
  readonly play: (t: CellContext) => Promise<Played>;
}

const cellOf = (
  table: TableName,
  agent: NamedPerformer,
  name: string,
  play: BrakeCell["play"],
): BrakeCell => ({
  ...{ table, agent: agent.name, name, missing: agent.missing, play },
  notPossible: whyNotPossible(agent.name, name),
});

const successOf = (agent: NamedPerformer): BrakeCell[] =>
  SCENES.map((scene) => cellOf("success", agent, scene.name, (t) => playScene(t, agent, scene)));

const budgetsOf = (agent: NamedPerformer): BrakeCell[] =>
  (Object.keys(BUDGETS) as BudgetKind[]).flatMap((kind) =>
    Object.keys(LOOPS).map((loop) =>
      cellOf("budgets", agent, `${kind}, ${loop}`, (t) => playBudget(t, agent, kind, loop)),
    ),
  );

const suspensionOf = (agent: NamedPerformer): BrakeCell[] =>
  CAUSES.map((cause) => cellOf("suspension", agent, cause.name, (t) => suspend(t, agent, cause)));

const LATE: BrakeCell = {
  table: "suspension",
  agent: ALL_PERFORMERS.find(({ name }) => name.startsWith("opencode acp"))?.name ?? "opencode acp",
  name: "a permission that is answered late",
  missing: lateMissing,
  notPossible: false,
  play: approveLate,
};

/** What `npm run test:agents -- real/success real/budgets real/suspension` tests, agent by agent. */
export const BRAKE_CELLS: readonly BrakeCell[] = [
  ...ALL_PERFORMERS.flatMap(successOf),
  ...ALL_PERFORMERS.flatMap(budgetsOf),
  ...ALL_PERFORMERS.flatMap(suspensionOf),
  LATE,
];
