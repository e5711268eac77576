import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { Overview } from "../../data/documents.ts";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { CommandButton } from "../../ui/commands/command-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { countText, moneyText } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { incidentText } from "../incidents/incident-text.ts";
import { StatusMark } from "../../ui/status-mark.tsx";
import type { StatusKind } from "../../ui/status-of.ts";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";

const KINDS = {
  completed: "done",
  unverified: "unverified",
  failed: "failed",
  cancelled: "cancelled",
} as const;
const SHOWN_MAX = 12;

/** How the runs of today have ended. */
export function DonePanel({
  overview: { counts, doneToday, groups },
}: {
  readonly overview: Overview;
}): ReactElement {
  const ends = (Object.keys(KINDS) as (keyof typeof KINDS)[]).filter((end) => doneToday[end] > 0);
  return (
    <Panel title={en.overview.doneToday} count={counts.done}>
      {counts.done === 0 && <EmptyState isSmall title={en.overview.nothingDone} />}
      {ends.length > 0 && (
        <ul className="ends">
          {ends.map((end) => (
            <li key={end}>
              <StatusMark kind={KINDS[end]} word={`${String(doneToday[end])} ${en.overview.ends[end]}`} />
            </li>
          ))}
        </ul>
      )}
      <ul className="lines lines-tight">
        {groups.done
          .toSorted((one, other) => other.since.localeCompare(one.since))
          .slice(0, SHOWN_MAX)
          .map(({ run, end, goal, since }) => (
            <li key={run} className="line row">
              <StatusMark kind={KINDS[end ?? "completed"] satisfies StatusKind} isShort />
              <Link to="/runs/$run/$tab" params={{ run, tab: "now" }} className="run-name">
                <Untrusted text={run} isLine charsMax={60} />
              </Link>
              <span className="grow clip muted">
                <Untrusted text={goal} isLine charsMax={120} />
              </span>
              <span className="muted">
                <Time at={since} />
              </span>
            </li>
          ))}
      </ul>
    </Panel>
  );
}

/** What runs share and is in trouble. */
export function IncidentsPanel({ count }: { readonly count: number }): ReactElement {
  const { data } = useApi("listIncidents", count > 0 ? {} : null);
  return (
    <Panel
      title={en.overview.incidents}
      count={count}
      actions={count > 0 && <Link to="/incidents">{en.overview.all}</Link>}
    >
      {count === 0 && <EmptyState isSmall title={en.overview.noIncidents} />}
      <ul className="lines">
        {(data?.incidents ?? []).slice(0, SHOWN_MAX).map(({ ground, text, command }) => (
          <li key={ground} className="line line-act">
            <div className="line-what grow">
              <Untrusted text={incidentText(text, command)} charsMax={300} hasTimes />
            </div>
            {typeof command === "string" && <CommandButton run={null} command={command} />}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** What all runs have used today. */
export function CostPanel({ overview: { cost } }: { readonly overview: Overview }): ReactElement {
  const { usd, tokens, runs, budget } = cost;
  return (
    <Panel title={en.overview.cost}>
      <div className="panel-body stack-tight">
        <p className="cost-figure num">{moneyText(usd)}</p>
        {budget?.usd !== undefined && (
          <>
            <meter
              min={0}
              max={budget.usd}
              high={budget.usd * 0.8}
              value={usd}
              aria-label={en.overview.cost}
            />
            <p>{en.overview.ofBudget(moneyText(budget.usd))}</p>
          </>
        )}
        <p className="muted">
          {en.overview.tokens(countText(tokens))} · {en.overview.costText(runs)} · {en.overview.utc}
        </p>
      </div>
    </Panel>
  );
}
