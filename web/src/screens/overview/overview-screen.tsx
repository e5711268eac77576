import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { Overview, OverviewRun } from "../../data/documents.ts";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { CostPanel, DonePanel, IncidentsPanel } from "./day-panels.tsx";
import { NeedsYouItem, RunLine } from "./overview-items.tsx";

/** What needs somebody, what works, what waits and until when, and what today came to. */
export function OverviewScreen(): ReactElement {
  const { data, error, refresh } = useApi("getOverview", {});
  return (
    <>
      <h1 className="visually-hidden">{en.overview.title}</h1>
      {error !== null && <Problem error={error} onAgain={refresh} />}
      {data === undefined ? error === null && <Skeleton rows={8} /> : <Groups overview={data} />}
    </>
  );
}

/** A run that a person has paused waits for that person: it is no alarm. */
const isPaused = ({ status, command }: OverviewRun): boolean =>
  status === "paused" && !(command ?? "").startsWith("holdfast up");

/** As in the inbox: who waits longest comes first. */
const byAge = (one: OverviewRun, other: OverviewRun): number => one.since.localeCompare(other.since);

function Groups({ overview }: { readonly overview: Overview }): ReactElement {
  const { counts, groups } = overview;
  const paused = groups.needs_you.filter(isPaused);
  const needsYou = groups.needs_you.filter((one) => !isPaused(one)).toSorted(byAge);
  const needsYouCount = counts.needs_you - paused.length;
  return (
    <div className="overview">
      <div className="overview-column">
        <Panel
          title={en.overview.needsYou}
          count={needsYouCount}
          className={needsYou.length > 0 ? "panel-needs" : ""}
          actions={needsYou.length > 0 && <Link to="/inbox">{en.overview.allInInbox}</Link>}
        >
          {needsYou.length === 0 && <EmptyState isSmall title={en.overview.nothingNeedsYou} />}
          <ul className="lines">
            {needsYou.map((one) => (
              <NeedsYouItem key={one.run} entry={one} />
            ))}
          </ul>
          <More listed={needsYou.length} count={needsYouCount} />
        </Panel>
        <DonePanel overview={overview} />
      </div>
      <div className="overview-column">
        <Panel title={en.overview.working} count={counts.working}>
          {groups.working.length === 0 && (
            <EmptyState isSmall title={en.overview.nothingWorks} command={en.overview.startCommand} />
          )}
          <Lines entries={groups.working} hasUse />
          <More listed={groups.working.length} count={counts.working} />
        </Panel>
        <IncidentsPanel count={overview.incidents} />
      </div>
      <div className="overview-column">
        <Panel title={en.overview.waiting} count={counts.waiting + paused.length}>
          {groups.waiting.length + paused.length === 0 && (
            <EmptyState isSmall title={en.overview.nothingWaits} />
          )}
          <Lines entries={[...groups.waiting, ...paused]} />
          <More listed={groups.waiting.length} count={counts.waiting} />
        </Panel>
        <CostPanel overview={overview} />
      </div>
    </div>
  );
}

/** Of so many what they use is drawn: each is a question to the server. */
const DRAWN_MAX = 12;

const Lines = (props: {
  readonly entries: readonly OverviewRun[];
  readonly hasUse?: boolean;
}): ReactElement => (
  <ul className="lines">
    {props.entries.map((one, at) => (
      <RunLine key={one.run} entry={one} hasUse={props.hasUse === true && at < DRAWN_MAX} />
    ))}
  </ul>
);

function More({ listed, count }: { readonly listed: number; readonly count: number }): ReactElement | null {
  if (listed >= count) return null;
  return (
    <p className="panel-body">
      <Link to="/runs">{en.overview.more(count - listed)}</Link>
    </p>
  );
}
