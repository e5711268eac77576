import type { MemoryDisk } from "./memory-disk.ts";

/** The watchers of one handle among those of the disk; one that was let go is not called any more. */
export function memoryWatch(disk: MemoryDisk): { watch(changed: () => void): () => void; close(): void } {
  const own = new Set<() => void>();
  const drop = (watcher: () => void): void => {
    own.delete(watcher);
    disk.watchers.delete(watcher);
  };
  return {
    watch(changed) {
      const watcher = (): void => {
        if (own.has(watcher)) changed();
      };
      own.add(watcher);
      disk.watchers.add(watcher);
      return () => drop(watcher);
    },
    close: () => own.forEach(drop),
  };
}
