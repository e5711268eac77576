import { useState } from "react";
import { readRunsSearch, type RunsSearch } from "./runs-search.ts";

export interface SavedFilter {
  readonly name: string;
  readonly search: RunsSearch;
}

const KEY = "holdfast.filters";
const SAVED_MAX = 30;

function stored(): readonly SavedFilter[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    if (!Array.isArray(read)) return [];
    return read.flatMap((one: Partial<SavedFilter> | null) =>
      typeof one?.name === "string" ? [{ name: one.name, search: readRunsSearch({ ...one.search }) }] : [],
    );
  } catch {
    return [];
  }
}

export interface SavedFilters {
  readonly all: readonly SavedFilter[];
  readonly save: (filter: SavedFilter) => void;
  readonly remove: (name: string) => void;
}

/** Filters under a name, kept by this browser. */
export function useSavedFilters(): SavedFilters {
  const [all, setAll] = useState(stored);
  const keep = (next: readonly SavedFilter[]): void => {
    setAll(next);
    try {
      localStorage.setItem(KEY, JSON.stringify(next));
    } catch {
      // A browser that keeps nothing has them until the page is closed.
    }
  };
  return {
    all,
    save: (filter) => keep([...all.filter(({ name }) => name !== filter.name), filter].slice(-SAVED_MAX)),
    remove: (removed) => keep(all.filter(({ name }) => name !== removed)),
  };
}
