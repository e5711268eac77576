import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { AnswerOf, InputOf } from "../../../src/api/client/client.ts";
import { useData } from "./data-context.tsx";
import type { About, Query, QueryState } from "./query-cache.ts";
import type { CallName } from "./source.ts";

export interface QueryResult<T> extends QueryState<T> {
  /** Reads it now. */
  readonly refresh: () => void;
}

const noQuery = (): (() => void) => () => undefined;

/** The answer under a key, read again when events say so. Null: nothing is asked yet. */
export function useQuery<T>(query: Query<T> | null): QueryResult<T> {
  const { cache } = useData();
  const latest = useRef(query);
  latest.current = query;
  const key = query?.key ?? "";
  const listen = useCallback(
    (listener: () => void) => {
      const { current } = latest;
      return current === null || key === "" ? noQuery() : cache.listen(current, listener);
    },
    [cache, key],
  );
  const state = useSyncExternalStore(listen, () => cache.peek<T>(key));
  const refresh = useCallback(() => cache.refresh(key), [cache, key]);
  return { ...state, refresh };
}

/** The same, with the last answer of another key in its place until there is one of this. */
export function useKept<T>(result: QueryResult<T>): QueryResult<T> & { readonly isOld: boolean } {
  const [kept, keep] = useState<T | undefined>(undefined);
  const { data } = result;
  useEffect(() => {
    if (data !== undefined) keep(data);
  }, [data]);
  return { ...result, data: data ?? kept, isOld: data === undefined && kept !== undefined };
}

/** What a route answers, read again when it changes. A route of one run follows that run, any other one the store. */
export function useApi<Name extends CallName>(
  name: Name,
  input: InputOf<Name> | null,
  about?: About,
): QueryResult<AnswerOf<Name>> {
  const { source } = useData();
  const query =
    input === null
      ? null
      : {
          key: `${name} ${JSON.stringify([input.params, input.query])}`,
          about: about ?? aboutOf(input.params),
          read: (signal: AbortSignal) => source.call(name, input, { signal }),
        };
  return useQuery<AnswerOf<Name>>(query);
}

const aboutOf = (params: Readonly<Record<string, string>> | undefined): About => {
  const run = params?.["run"];
  return run === undefined ? { kind: "store" } : { kind: "run", run };
};
