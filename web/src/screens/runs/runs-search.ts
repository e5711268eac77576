/** What the address of the list says: every filter, so that it survives a reload and can be sent to somebody. */
export interface RunsSearch {
  /** Names of statuses, with commas between them. */
  readonly status?: string;
  readonly repo?: string;
  readonly since?: string;
  readonly blockedBy?: string;
  readonly waits?: string;
  readonly sort?: string;
  /** Words of the name or the goal. */
  readonly q?: string;
}

const NAMES = ["status", "repo", "since", "blockedBy", "waits", "sort", "q"] as const;
const CHARS_MAX = 4_000;

export const readRunsSearch = (search: Record<string, unknown>): RunsSearch =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = search[name];
      return typeof value === "string" && value !== "" ? [[name, value.slice(0, CHARS_MAX)]] : [];
    }),
  );

export const isFiltered = ({ sort: _, ...filters }: RunsSearch): boolean => Object.keys(filters).length > 0;

/** The address without what is empty. */
export const withChange = (search: RunsSearch, change: { [Name in keyof RunsSearch]?: string | undefined }) =>
  readRunsSearch({ ...search, ...change });
