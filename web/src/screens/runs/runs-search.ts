/** What the address of the list says: every filter, so that it survives a reload and can be sent to somebody. */
export interface RunsSearch {
  readonly status?: string;
  readonly repo?: string;
  readonly since?: string;
  readonly blockedBy?: string;
  readonly sort?: string;
  /** Words of the name or the goal. */
  readonly q?: string;
}

const NAMES = ["status", "repo", "since", "blockedBy", "sort", "q"] as const;

export const readRunsSearch = (search: Record<string, unknown>): RunsSearch =>
  Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = search[name];
      return typeof value === "string" && value !== "" ? [[name, value.slice(0, 4_000)]] : [];
    }),
  );
