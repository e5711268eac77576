import { useEffect, useRef, useState } from "react";
import { useData } from "../../../data/data-context.tsx";
import type { JournalEvent } from "../timeline/explain.ts";

const PAGE = 100;
const PAGES_KEPT = 24;

/** Events of a list of any length by their number; the pages that are seen are read, a few are kept. */
export function useEventPages(
  run: string,
  head: number,
  { from, to }: { readonly from: number; readonly to: number },
): (seq: number) => JournalEvent | undefined {
  const { source } = useData();
  const pages = useRef(new Map<number, readonly JournalEvent[]>());
  const reading = useRef(new Set<string>());
  const [, drawn] = useState(0);
  const [first, last] = [Math.floor(from / PAGE), Math.floor(Math.max(0, Math.min(head, to) - 1) / PAGE)];
  useEffect(() => {
    const read = async (page: number): Promise<void> => {
      const have = pages.current.get(page)?.length ?? 0;
      if (have >= Math.min(PAGE, head - page * PAGE)) return;
      const key = `${String(page)} ${String(Math.min(head, (page + 1) * PAGE))}`;
      if (reading.current.has(key)) return;
      reading.current.add(key);
      try {
        const answer = await source.call("listEvents", {
          params: { run },
          query: { after: page * PAGE, limit: PAGE },
        });
        pages.current.delete(page);
        pages.current.set(page, answer.events);
        for (const old of pages.current.keys())
          if (pages.current.size > PAGES_KEPT && (old < first || old > last)) pages.current.delete(old);
        drawn((count) => count + 1);
      } catch {
        // The rows stay empty, and are asked for again when they are next seen.
      } finally {
        reading.current.delete(key);
      }
    };
    for (let page = first; page <= last; page += 1) void read(page);
  }, [source, run, head, first, last]);
  return (seq) => pages.current.get(Math.floor((seq - 1) / PAGE))?.[(seq - 1) % PAGE];
}
