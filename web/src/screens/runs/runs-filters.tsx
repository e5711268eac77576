import { useEffect, useState, type ReactElement, type ReactNode } from "react";
import type { ListedRun } from "../../data/documents.ts";
import { en } from "../../text/en.ts";
import { useNarrow } from "../../ui/use-media.ts";
import { folderName } from "./runs-columns.tsx";
import { isFiltered, type RunsSearch } from "./runs-search.ts";

const STATUSES = Object.keys(en.runs.statuses) as (keyof typeof en.runs.statuses)[];
const SINCE = Object.keys(en.runs.sinceWords) as (keyof typeof en.runs.sinceWords)[];
const WAITS = Object.keys(en.runs.waitWords) as (keyof typeof en.runs.waitWords)[];
const TYPING_MS = 250;

interface RunsFiltersProps {
  readonly search: RunsSearch;
  readonly rows: readonly ListedRun[];
  readonly onChange: (change: { [Name in keyof RunsSearch]?: string | undefined }) => void;
  readonly onClear: () => void;
}

/** Every filter of the list; each is a part of the address. On a phone they are put away: the list is what counts. */
export function RunsFilters(props: RunsFiltersProps): ReactElement {
  const { search } = props;
  if (!useNarrow()) return <AllFilters {...props} />;
  const used = [search.status, search.q, search.waits, search.blockedBy, search.repo, search.since];
  return (
    <details className="filters-folded">
      <summary>{en.runs.filtersOf(used.filter((one) => one !== undefined && one !== "").length)}</summary>
      <AllFilters {...props} />
    </details>
  );
}

function AllFilters({ search, rows, onChange, onClear }: RunsFiltersProps): ReactElement {
  const chosen = new Set((search.status ?? "").split(",").filter((status) => status !== ""));
  const toggle = (status: string): void => {
    const next = chosen.has(status) ? [...chosen].filter((one) => one !== status) : [...chosen, status];
    onChange({ status: STATUSES.filter((one) => next.includes(one)).join(",") });
  };
  return (
    <div className="filters" role="group" aria-label={en.runs.filters}>
      <div className="chips" role="group" aria-label={en.runs.status}>
        {STATUSES.map((status) => (
          <button
            key={status}
            type="button"
            className="chip"
            aria-pressed={chosen.has(status)}
            onClick={() => toggle(status)}
          >
            {en.runs.statuses[status]}
          </button>
        ))}
      </div>
      <div className="row row-wrap">
        <WordsFilter key={search.q ?? ""} words={search.q ?? ""} onChange={(q) => onChange({ q })} />
        <Choices search={search} rows={rows} onChange={onChange} />
        {isFiltered(search) && (
          <button type="button" className="link" onClick={onClear}>
            {en.runs.clear}
          </button>
        )}
      </div>
    </div>
  );
}

function Choices({ search, rows, onChange }: Omit<RunsFiltersProps, "onClear">): ReactElement {
  return (
    <>
      <Choice
        label={en.runs.waits}
        value={search.waits}
        any={en.runs.anyWait}
        onChange={(waits) => onChange({ waits })}
      >
        {WAITS.map((wait) => (
          <option key={wait} value={wait}>
            {en.runs.waitWords[wait]}
          </option>
        ))}
      </Choice>
      <Choice
        label={en.runs.blockedBy}
        value={search.blockedBy}
        any={en.runs.anyReason}
        onChange={(blockedBy) => onChange({ blockedBy })}
      >
        {known(rows, ({ blockedBy }) => blockedBy, search.blockedBy).map((reason) => (
          <option key={reason}>{reason}</option>
        ))}
      </Choice>
      <Choice
        label={en.runs.repository}
        value={search.repo}
        any={en.runs.anyRepository}
        onChange={(repo) => onChange({ repo })}
      >
        {known(rows, ({ repository }) => repository, search.repo).map((repo) => (
          <option key={repo} value={repo} title={repo}>
            {folderName(repo)}
          </option>
        ))}
      </Choice>
      <Choice
        label={en.runs.since}
        value={search.since}
        any={en.runs.anyTime}
        onChange={(since) => onChange({ since })}
      >
        {SINCE.map((since) => (
          <option key={since} value={since}>
            {en.runs.sinceWords[since]}
          </option>
        ))}
      </Choice>
    </>
  );
}

/** What the runs that are known have, and what is chosen although none of them has it. */
function known(
  rows: readonly ListedRun[],
  of: (row: ListedRun) => string | null,
  chosen: string | undefined,
): string[] {
  const found = new Set(rows.flatMap((row) => of(row) ?? []));
  if (chosen !== undefined) found.add(chosen);
  return [...found].sort();
}

function Choice(props: {
  readonly label: string;
  readonly value: string | undefined;
  readonly any: string;
  readonly onChange: (value: string | undefined) => void;
  readonly children: ReactNode;
}): ReactElement {
  const { label, value, any, onChange, children } = props;
  return (
    <label className="choice">
      <span className="muted small">{label}</span>
      <select
        aria-label={label}
        value={value ?? ""}
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
      >
        <option value="">{any}</option>
        {children}
      </select>
    </label>
  );
}

function WordsFilter(props: {
  readonly words: string;
  readonly onChange: (words: string | undefined) => void;
}): ReactElement {
  const { words: initial, onChange } = props;
  const [words, setWords] = useState(initial);
  useEffect(() => {
    if (words.trim() === initial) return;
    const timer = setTimeout(() => onChange(words.trim() === "" ? undefined : words.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [words, initial, onChange]);
  return (
    <label className="choice">
      <span className="muted small">{en.runs.words}</span>
      <input
        type="search"
        className="input"
        value={words}
        onChange={({ target }) => setWords(target.value)}
      />
    </label>
  );
}
