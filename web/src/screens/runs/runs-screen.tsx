import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState, type ReactElement } from "react";
import type { ListedRun } from "../../data/documents.ts";
import { en } from "../../text/en.ts";
import { DataGrid } from "../../ui/data-grid.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { PhoneRun, RUN_COLUMNS } from "./runs-columns.tsx";
import { RunsFilters } from "./runs-filters.tsx";
import { isFiltered, readRunsSearch, withChange, type RunsSearch } from "./runs-search.ts";
import { SavedBar } from "./saved-bar.tsx";
import { sortOf, useRuns, type Runs } from "./use-runs.ts";

type Change = { [Name in keyof RunsSearch]?: string | undefined };

/** All runs, by what is looked for; the address holds every filter. */
export function RunsScreen(): ReactElement {
  const search = readRunsSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const go = useCallback((next: RunsSearch) => void navigate({ to: "/runs", search: next }), [navigate]);
  const text = JSON.stringify(search);
  const change = useCallback(
    (wanted: Change) => go(withChange(JSON.parse(text) as RunsSearch, wanted)),
    [go, text],
  );
  const runs = useRuns(search);
  const { answer, error, refresh, rows, total } = runs;
  return (
    <>
      <div className="row">
        <h1>{en.runs.title}</h1>
        {answer !== undefined && (
          <span className="muted num" role="status">
            {en.runs.count(rows.length, total)}
            {sortOf(search) === "created" && rows.length > 1 && ` · ${en.runs.newestFirst}`}
          </span>
        )}
      </div>
      <RunsFilters search={search} rows={rows} onChange={change} onClear={() => go({})} />
      <SavedBar search={search} />
      {error !== null && <Problem error={error} onAgain={refresh} />}
      {answer === undefined && error === null && <Skeleton rows={10} />}
      {answer !== undefined && rows.length === 0 && (
        <NoRuns isSearched={isFiltered(search)} onClear={() => go({})} />
      )}
      {rows.length > 0 && (
        <RunsGrid
          runs={runs}
          search={search}
          onSort={(sort) => change({ sort: sort === search.sort ? undefined : sort })}
        />
      )}
    </>
  );
}

function NoRuns({
  isSearched,
  onClear,
}: {
  readonly isSearched: boolean;
  readonly onClear: () => void;
}): ReactElement {
  if (!isSearched)
    return (
      <EmptyState title={en.runs.empty} command={en.runs.emptyCommand}>
        {en.runs.emptyText}
      </EmptyState>
    );
  return (
    <EmptyState title={en.runs.noneFit}>
      <button type="button" className="button button-normal" onClick={onClear}>
        {en.runs.clear}
      </button>
    </EmptyState>
  );
}

const keyOf = ({ run }: ListedRun): string => run;

function RunsGrid(props: {
  readonly runs: Runs;
  readonly search: RunsSearch;
  readonly onSort: (sort: string) => void;
}): ReactElement {
  const { runs, search, onSort } = props;
  const { rows, hasMore, more, isReading } = runs;
  const navigate = useNavigate();
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const selection = useMemo(
    () => ({
      selected,
      set: (keys: readonly string[]) => select(new Set(keys)),
      toggle: (key: string) =>
        select((before) => {
          const next = new Set(before);
          if (!next.delete(key)) next.add(key);
          return next;
        }),
    }),
    [selected],
  );
  const open = ({ run }: ListedRun): void =>
    void navigate({ to: "/runs/$run/$tab", params: { run, tab: "now" } });
  const chosen = rows.filter(({ run }) => selected.has(run));
  return (
    <>
      {chosen.length > 0 && <BulkBar runs={chosen} onClear={() => select(new Set())} />}
      <div className="panel">
        <DataGrid
          label={en.runs.grid}
          rows={rows}
          columns={RUN_COLUMNS}
          keyOf={keyOf}
          onOpen={open}
          selection={selection}
          sort={sortOf(search)}
          onSort={onSort}
          phoneRow={PhoneRun}
          onEnd={hasMore && !isReading ? more : undefined}
        />
        {hasMore && isReading && <p className="panel-body muted">{en.runs.loadingMore}</p>}
      </div>
    </>
  );
}
