import { refuseRemove } from "../append-rules.ts";
import type { RemoveOrder, RemoveOutcome } from "../journal.ts";
import { forgetBlobs } from "./memory-blobs.ts";
import type { MemoryDisk } from "./memory-disk.ts";
import { forgetMail, waitingMail } from "./memory-inbox.ts";
import { planRelease } from "./memory-leases.ts";
import { headOf } from "./memory-runs.ts";

/** Decides a removal; `write` makes it so, and is absent if the order is refused. */
export function planRemove(
  disk: MemoryDisk,
  order: RemoveOrder,
): { readonly outcome: RemoveOutcome; readonly write?: () => void } {
  const { run, epoch } = order;
  const lease = disk.leases.get(run);
  const refused = refuseRemove(
    order,
    { epoch: lease?.epoch ?? 0, held: (lease?.owner ?? null) !== null },
    { head: headOf(disk, run), mailWaits: waitingMail(disk, run).length > 0 },
  );
  if (refused !== null) return { outcome: refused };
  return {
    outcome: { kind: "removed" },
    write: () => {
      disk.runs.delete(run);
      forgetMail(disk, run);
      forgetBlobs(disk, run);
      planRelease(disk, run, epoch)?.();
    },
  };
}
