import { useMemo, type ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import type { RunDocument } from "../run-document.ts";
import { useChunks, useChunkWindow } from "../use-chunks.ts";
import { useSelection } from "../use-selection.ts";
import { Inspector } from "./inspector.tsx";
import { joinWindows } from "./layout/layout-items.ts";
import { MiniMap } from "./mini-map.tsx";
import { TimelineChart } from "./timeline-chart.tsx";

const SIZE = 1_000;
const MOST = 6;

/** The run over time, from its end; parts before are read when they are asked for. */
export function TimelineTab({ run }: { readonly run: RunDocument }): ReactElement {
  const { search, select } = useSelection();
  const view = useChunkWindow(run.position, { size: SIZE, most: MOST });
  const wish = { run: run.run, head: run.position, size: SIZE, range: view.range };
  const { loaded: windows, error } = useChunks("getTimeline", wish);
  const { loaded: claims } = useChunks("listOwners", wish);
  const key = windows.map(({ fromSeq, toSeq }) => `${String(fromSeq)}-${String(toSeq)}`).join(" ");
  // The parts are the same where their key is.
  const loaded = useMemo(() => joinWindows(windows), [key]);
  const owners = claims.flatMap(({ owners: of }) => of);
  if (error !== null && windows.length === 0) return <Problem error={error} />;
  if (windows.length === 0) return <Skeleton />;
  if (loaded.lasting.length === 0 && loaded.marks.length === 0 && loaded.fromSeq <= 1)
    return <EmptyState title={en.run.timeline.empty}>{en.run.timeline.emptyHint}</EmptyState>;
  return (
    <div className="timeline-screen">
      <section className="panel timeline" aria-label={en.run.timeline.label}>
        <TimelineChart
          key={`${String(view.range.first)} ${String(view.isAtEnd)}`}
          loaded={loaded}
          owners={owners}
          chosen={search.seq ?? null}
          attempt={search.attempt ?? null}
          isOver={run.status === "completed" || run.status === "failed" || run.status === "cancelled"}
          onChoose={(seq, attempt) => select({ seq, ...(attempt === undefined ? {} : { attempt }) })}
          onEarlier={loaded.fromSeq > 1 ? view.earlier : null}
          onLater={view.isAtEnd ? null : view.later}
        />
        {run.position > SIZE && <MiniMap loaded={loaded} onGo={view.goTo} />}
      </section>
      <Inspector run={run.run} seq={search.seq ?? null} head={run.position} />
    </div>
  );
}
