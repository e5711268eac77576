import { chainDamage } from "../chain-damage.ts";
import type { Damage } from "../journal.ts";
import type { MemoryDisk } from "./memory-disk.ts";

export const memoryDamages = (disk: MemoryDisk): Damage[] =>
  [...disk.runs]
    .map(([run, { head, events }]) => chainDamage(run, head, events))
    .filter((found) => found !== null);
