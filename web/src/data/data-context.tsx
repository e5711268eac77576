import { createContext, useContext, useEffect, useMemo, type ReactElement, type ReactNode } from "react";
import { Notices } from "./notices.ts";
import { QueryCache } from "./query-cache.ts";
import type { Source } from "./source.ts";
import { StreamStore } from "./stream-store.ts";

export interface Data {
  readonly source: Source;
  readonly cache: QueryCache;
  readonly stream: StreamStore;
  readonly notices: Notices;
}

const DataContext = createContext<Data | null>(null);

/** Gives all screens below it one source, one cache and one stream. */
export function DataProvider(props: { readonly source: Source; readonly children: ReactNode }): ReactElement {
  const { source, children } = props;
  const data = useMemo(() => {
    const cache = new QueryCache();
    return { source, cache, stream: new StreamStore(cache), notices: new Notices() };
  }, [source]);
  useEffect(() => data.stream.begin(source), [data, source]);
  return <DataContext value={data}>{children}</DataContext>;
}

export function useData(): Data {
  const data = useContext(DataContext);
  if (data === null) throw new Error("this part of the page stands outside of DataProvider");
  return data;
}

export const useSource = (): Source => useData().source;
