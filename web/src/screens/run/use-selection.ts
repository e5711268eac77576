import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { readRunSearch, type RunSearch } from "./run-search.ts";

export interface Selection {
  readonly search: RunSearch;
  /** What is undefined is not chosen any more. */
  readonly select: (change: { readonly [Key in keyof RunSearch]: RunSearch[Key] | undefined }) => void;
}

/** What is chosen in the run: an attempt, an event, checkpoints. All views share it by the address. */
export function useSelection(): Selection {
  const search = readRunSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const select = useCallback<Selection["select"]>(
    (change) => {
      void navigate({
        to: ".",
        search: (before: Readonly<Record<string, unknown>>) => readRunSearch({ ...before, ...change }),
        replace: true,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return { search, select };
}
