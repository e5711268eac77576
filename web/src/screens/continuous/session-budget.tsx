import type { ReactElement } from "react";
import { en } from "../../text/en.ts";
import { BudgetPart } from "../../ui/amounts/budget-part.tsx";
import { Panel } from "../../ui/panel.tsx";
import type { SessionInFull } from "./session-words.ts";

const { budget: words } = en.continuous;

/** What was spent and is left, in all and today. */
export function SessionBudget({ session }: { readonly session: SessionInFull }): ReactElement {
  const { limits, spent, today } = session.budget;
  return (
    <Panel title={words.title}>
      <BudgetPart title={words.all} spent={spent} limits={limits} />
      <BudgetPart title={words.today} spent={today} limits={limits.day ?? {}} />
    </Panel>
  );
}
