import { useMemo, useState } from "react";
import type { AnswerOf } from "../../../../src/api/client/client.ts";
import { useData } from "../../data/data-context.tsx";
import { listedOf, type ListedRun } from "../../data/documents.ts";
import { useKept, useQuery } from "../../data/use-query.ts";
import type { RunsSearch } from "./runs-search.ts";

const PAGE_RUNS = 500;
const PAGES_MAX = 20;
const SORTS = ["created", "updated", "status", "usd"] as const;
export type RunsSort = (typeof SORTS)[number];

export interface Runs {
  readonly rows: readonly ListedRun[];
  /** All that fit what the server filters by. */
  readonly total: number;
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly answer: AnswerOf<"listRuns"> | undefined;
  readonly error: Error | null;
  readonly isReading: boolean;
  readonly refresh: () => void;
}

export const sortOf = ({ sort }: RunsSearch): RunsSort => SORTS.find((one) => one === sort) ?? "created";

/** The runs that fit the address: the server filters and sorts; words and what is waited for are looked up in the page. */
export function useRuns(search: RunsSearch): Runs {
  const { source } = useData();
  const [pages, setPages] = useState(1);
  const { status, repo, since, blockedBy, waits, q } = search;
  const query = { status, repo, since, blockedBy, sort: sortOf(search), limit: PAGE_RUNS };
  // What only the page can find has to be looked for in all of them.
  const wanted = q !== undefined || waits !== undefined ? PAGES_MAX : pages;
  const key = `runs ${JSON.stringify(query)} ${String(wanted)}`;
  const read = async (signal: AbortSignal): Promise<AnswerOf<"listRuns">> => {
    const first = await source.call("listRuns", { query }, { signal });
    const all = [...first.runs];
    let { next } = first;
    for (let page = 1; page < wanted && next !== null; page += 1) {
      const answer = await source.call("listRuns", { query: { ...query, cursor: next } }, { signal });
      all.push(...answer.runs);
      ({ next } = answer);
    }
    return { ...first, runs: all, next };
  };
  const result = useKept(useQuery({ key, about: { kind: "store" }, read }));
  const { data } = result;
  const rows = useMemo(() => listedOf(data).filter((run) => fits(run, { waits, q })), [data, waits, q]);
  const { error, isReading, refresh } = result;
  return {
    rows,
    total: data?.total ?? 0,
    hasMore: data !== undefined && data.next !== null,
    more: () => setPages((before) => Math.min(PAGES_MAX, before + 1)),
    answer: data,
    error,
    isReading,
    refresh,
  };
}

interface Wanted {
  readonly waits: string | undefined;
  readonly q: string | undefined;
}

function fits({ run, goal, waitsFor }: ListedRun, { waits, q }: Wanted): boolean {
  if (waits !== undefined && waitsFor !== waits) return false;
  if (q === undefined) return true;
  const text = `${run} ${goal}`.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
