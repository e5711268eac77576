import type { EncodedEvent } from "../chain.ts";
import type { MemoryDisk } from "./memory-disk.ts";

export function putBlobs(disk: MemoryDisk, run: string, events: readonly EncodedEvent[]): void {
  for (const { apart } of events)
    for (const { digest, text } of apart?.blobs ?? []) {
      disk.blobs.set(digest, text);
      const used = disk.blobsOfRun.get(run) ?? new Set<string>();
      disk.blobsOfRun.set(run, used.add(digest));
    }
}

/** Forgets what only this run named. */
export function forgetBlobs(disk: MemoryDisk, run: string): void {
  const used = disk.blobsOfRun.get(run) ?? new Set<string>();
  disk.blobsOfRun.delete(run);
  const others = [...disk.blobsOfRun.values()];
  for (const digest of used) if (!others.some((other) => other.has(digest))) disk.blobs.delete(digest);
}
