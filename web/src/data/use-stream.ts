import { useEffect, useRef, useSyncExternalStore } from "react";
import { useData } from "./data-context.tsx";
import type { StreamEvent } from "./stream-protocol.ts";
import type { StreamState } from "./stream-store.ts";

/** Whether the page is live, and when something last came. */
export function useStream(): StreamState {
  const { stream } = useData();
  return useSyncExternalStore(
    (listener) => stream.listen(listener),
    () => stream.state,
  );
}

/** Calls back with every event of a run from now on, in batches. */
export function useRunEvents(run: string, then: (events: readonly StreamEvent[]) => void): void {
  const { stream } = useData();
  const latest = useRef(then);
  latest.current = then;
  useEffect(() => stream.onEvents(run, (events) => latest.current(events)), [stream, run]);
}
