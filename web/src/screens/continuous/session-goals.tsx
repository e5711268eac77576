import { useState, type ReactElement } from "react";
import { en } from "../../text/en.ts";
import type { Column } from "../../ui/column.ts";
import { DataGrid } from "../../ui/data-grid.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Panel } from "../../ui/panel.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { GoalDetail, GoalRun } from "./goal-detail.tsx";
import { countsText, goalMark, goalWord, type Goal, type SessionInFull } from "./session-words.ts";

const { continuous: words } = en;
const { columns } = words;

const Mark = ({ status }: Goal): ReactElement => (
  <StatusMark kind={goalMark(status)} word={goalWord(status)} />
);

const COLUMNS: readonly Column<Goal>[] = [
  { id: "status", label: columns.status, width: "128px", cell: Mark },
  {
    id: "goal",
    label: columns.goal,
    width: "minmax(120px, 3fr)",
    cell: ({ goal }) => <Untrusted text={goal} isLine />,
  },
  {
    id: "priority",
    label: columns.priority,
    width: "60px",
    isNumber: true,
    cell: ({ priority }) => String(priority),
  },
  { id: "tries", label: columns.tries, width: "48px", isNumber: true, cell: ({ tries }) => String(tries) },
  {
    id: "run",
    label: columns.run,
    width: "minmax(90px, 1.4fr)",
    cell: (goal) => <GoalRun goal={goal} isInRow />,
  },
  {
    id: "text",
    label: columns.text,
    width: "minmax(90px, 2fr)",
    cell: ({ text }) => (text === null ? null : <Untrusted text={text} isLine />),
  },
];

const PhoneGoal = (goal: Goal): ReactElement => (
  <span className="phone-run">
    <span className="row">
      <Mark {...goal} />
      <span className="clip grow">
        <Untrusted text={goal.goal} isLine charsMax={120} />
      </span>
    </span>
    <span className="muted clip num">
      {words.priority(goal.priority)} · {words.tries(goal.tries)}
      {goal.text !== null && " · "}
      {goal.text !== null && <Untrusted text={goal.text} isLine charsMax={160} />}
    </span>
  </span>
);

/** All goals of a session: there may be thousands. One that is chosen is shown in full. */
export function SessionGoals({ session }: { readonly session: SessionInFull }): ReactElement {
  const { goals, counts } = session;
  const [chosen, choose] = useState<string | null>(null);
  const goal = goals.find(({ id }) => id === chosen);
  return (
    <>
      {goal !== undefined && <GoalDetail session={session} goal={goal} onClose={() => choose(null)} />}
      <Panel
        title={words.goals}
        count={goals.length}
        actions={<span className="muted num">{countsText(counts)}</span>}
      >
        {goals.length === 0 ? (
          <EmptyState isSmall title={words.noGoals} />
        ) : (
          <DataGrid
            label={words.goals}
            rows={goals}
            columns={COLUMNS}
            keyOf={({ id }) => id}
            onOpen={({ id }) => choose(id)}
            phoneRow={PhoneGoal}
          />
        )}
      </Panel>
    </>
  );
}
