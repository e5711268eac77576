import { chainDamage } from "../chain-damage.ts";
import type { StoredEvent } from "../chain.ts";
import type { Damage } from "../journal.ts";
import { blobDamage, placesIn } from "../large-values.ts";
import type { MemoryDisk } from "./memory-disk.ts";

export const memoryDamages = (disk: MemoryDisk): Damage[] =>
  [...disk.runs]
    .map(([run, { head, events }]) => chainDamage(run, head, events) ?? apartDamage(disk, run, events))
    .filter((found) => found !== null);

function apartDamage(disk: MemoryDisk, run: string, events: readonly StoredEvent[]): Damage | null {
  for (const { seq, data } of events)
    for (const { digest } of placesIn(data)) {
      const what = blobDamage(digest, disk.blobs.get(digest));
      if (what !== null) return { run, seq, what };
    }
  return null;
}
