import { listenForChanges, type ListenOptions } from "./change-listener.ts";

/**
 * Tells watchers that something may have changed.
 *
 * States: idle until somebody first watches, then listening to other handles (`change-listener.ts`), then closed.
 * Own commits call back in a microtask.
 */
export interface ChangeWatch {
  watch(changed: () => void): () => void;
  /** Calls this handle's watchers. */
  notify(): void;
  close(): Promise<void>;
}

export function changeWatch(options: Omit<ListenOptions, "changed" | "until">): ChangeWatch {
  const watchers = new Set<() => void>();
  const closing = new AbortController();
  let listening: Promise<void> | null = null;

  const notify = (): void => {
    for (const watcher of watchers)
      queueMicrotask(() => {
        if (watchers.has(watcher)) watcher();
      });
  };

  return {
    watch(changed) {
      const watcher = (): void => changed();
      watchers.add(watcher);
      listening ??= listenForChanges({ ...options, changed: notify, until: closing.signal });
      return () => void watchers.delete(watcher);
    },
    notify,
    async close() {
      watchers.clear();
      closing.abort();
      await listening;
    },
  };
}
