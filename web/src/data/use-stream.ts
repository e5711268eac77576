import { useSyncExternalStore } from "react";
import { useData } from "./data-context.tsx";
import type { StreamState } from "./stream-store.ts";

/** Whether the page is live, and when something last came. */
export function useStream(): StreamState {
  const { stream } = useData();
  return useSyncExternalStore(
    (listener) => stream.listen(listener),
    () => stream.state,
  );
}
