import { livingSessions } from "./agents/keeper/live-sessions.ts";
import { removeSpool, spoolsIn } from "./agents/keeper/spool/old-spools.ts";
import { folderBytes } from "./files/folder-size.ts";
import {
  findGarbage,
  removeGarbage,
  type Garbage,
  type GarbagePorts,
} from "./runtime/work/collect-garbage.ts";

/** What ended runs of a store have left on disk, by the time since which they are unchanged. */
export interface StoreGarbage {
  find(unchangedSince: number): Promise<Garbage[]>;
  remove(run: string, unchangedSince: number): Promise<Garbage[]>;
}

export function garbageOn(
  sessionsFolder: string,
  parts: Pick<GarbagePorts, "journal" | "leases" | "world" | "workspace">,
): StoreGarbage {
  const ports = {
    ...parts,
    removeSpool,
    bytesOf: folderBytes,
    spools: () => spoolsIn(sessionsFolder),
    living: () => livingSessions(parts.world, sessionsFolder),
  };
  return {
    find: (since) => findGarbage(ports, since),
    remove: (run, since) => removeGarbage(ports, run, since),
  };
}
