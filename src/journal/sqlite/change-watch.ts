import type { DatabaseSync } from "node:sqlite";
import { integer } from "../row-values.ts";

/**
 * Notifies watchers that something may have changed.
 *
 * States: idle without watchers, polling with some, closed. Own commits call back in a microtask; those of other
 * connections and processes are seen by `PRAGMA data_version`, a read of shared memory. The timer is Node's and not
 * the World's, because it must be unref'd: the one that merely watches is not kept alive by it. It runs only while
 * there are watchers.
 */
export interface ChangeWatch {
  watch(changed: () => void): () => void;
  notify(): void;
  close(): void;
}

const POLL_MS = 50;

/** A reaction to it is a microtask, and cheaper than `queueMicrotask`: every commit calls back. */
const NOW = Promise.resolve();

export function changeWatch(db: DatabaseSync): ChangeWatch {
  const version = db.prepare("PRAGMA data_version");
  const watchers = new Set<() => void>();
  let seen: number | null = 0;
  let poll: NodeJS.Timeout | null = null;

  /**
   * Null where it cannot be read, as on a disk without room: the one that then looks at the store is given the reasons.
   */
  const look = (): number | null => {
    try {
      const row = version.get();
      return row === undefined ? 0 : integer(row, "data_version");
    } catch {
      return null;
    }
  };
  const notify = (): void => {
    for (const watcher of watchers) void NOW.then(watcher);
  };
  const tick = (): void => {
    const now = look();
    if (now === seen && now !== null) return;
    seen = now;
    notify();
  };
  const stop = (): void => {
    if (poll !== null) clearInterval(poll);
    poll = null;
  };

  return {
    watch(changed) {
      const watcher = (): void => {
        if (watchers.has(watcher)) changed();
      };
      watchers.add(watcher);
      if (poll === null) {
        seen = look();
        poll = setInterval(tick, POLL_MS).unref();
      }
      return () => {
        watchers.delete(watcher);
        if (watchers.size === 0) stop();
      };
    },
    notify,
    close() {
      watchers.clear();
      stop();
    },
  };
}
