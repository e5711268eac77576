import { chainDamage } from "../chain-damage.ts";
import type { Damage } from "../journal.ts";
import type { MemoryDisk } from "./memory-disk.ts";

export function memoryDamages(disk: MemoryDisk): Damage[] {
  const damages: Damage[] = [];
  for (const [run, { events }] of disk.runs) {
    const damage = chainDamage(run, events);
    if (damage.first !== null) damages.push(damage.first);
  }
  return damages;
}
