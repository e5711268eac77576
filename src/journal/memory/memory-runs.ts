import { refuseAppend, refuseRemove } from "../append-rules.ts";
import { chainEvents, type EncodedEvent, GENESIS, journalDamaged, type StoredEvent } from "../chain.ts";
import {
  type AppendOrder,
  type AppendOutcome,
  type Head,
  OTHER_FOLDS_KEPT,
  type ReadPage,
  type RemoveOrder,
  type RemoveOutcome,
  type RunListing,
  type RunsFilter,
  type Snapshot,
} from "../journal.ts";
import { consumeMail, forgetBlobs, forgetMail, type MemoryDisk, waitingMail } from "./memory-disk.ts";
import { planRelease } from "./memory-leases.ts";
import { checkRows } from "./sound-rows.ts";

/** A run's head, agreeing with the event it names. */
export function headOf(disk: MemoryDisk, run: string): Head | null {
  const found = disk.runs.get(run);
  if (found === undefined) return null;
  const { head, events } = found;
  if (events.at(-1)?.hash !== head.hash || events.length !== head.seq)
    throw journalDamaged(run, head.seq, "its last event is missing or not the one on record");
  return head;
}

/** Decides an append; `write` makes it so, and is absent if the order is refused. */
export function planAppend(
  disk: MemoryDisk,
  order: AppendOrder,
  encoded: readonly EncodedEvent[],
): { readonly outcome: AppendOutcome; readonly write?: () => void } {
  const lease = disk.leases.get(order.run);
  const before = disk.runs.get(order.run)?.head ?? null;
  const refused = refuseAppend(
    order,
    { epoch: lease?.epoch ?? 0, held: (lease?.owner ?? null) !== null },
    before,
  );
  if (refused !== null) return { outcome: refused };
  const from = { run: order.run, seq: before?.seq ?? 0, hash: before?.hash ?? GENESIS };
  const events = chainEvents(from, order, encoded);
  const head: Head = {
    seq: from.seq + events.length,
    hash: events.at(-1)?.hash ?? from.hash,
  };
  return { outcome: { kind: "appended", head }, write: () => writeAppend(disk, order, { events, head }) };
}

function writeAppend(
  disk: MemoryDisk,
  { run, at, listing, consumed = [] }: AppendOrder,
  planned: { readonly events: readonly StoredEvent[]; readonly head: Head },
): void {
  const known = disk.runs.get(run);
  const { status, goal, wakeAt } = listing;
  const changed = { head: planned.head, updatedAt: at, listing: { status, goal, wakeAt } };
  if (known === undefined)
    disk.runs.set(run, { events: [...planned.events], createdAt: at, snapshots: [], ...changed });
  else {
    for (const event of planned.events) known.events.push(event);
    Object.assign(known, changed);
  }
  disk.eventsWritten += planned.events.length;
  consumeMail(disk, run, consumed);
}

export function readEvents(disk: MemoryDisk, run: string, { after, limit }: ReadPage): StoredEvent[] {
  const found = disk.runs.get(run);
  if (found === undefined || after >= found.head.seq) return [];
  const { head, events } = found;
  const previous = after === 0 ? GENESIS : events[after - 1]?.hash;
  if (previous === undefined) throw journalDamaged(run, after, `event ${String(after)} is missing`);
  const rows = events.slice(after, after + limit);
  const read = checkRows(rows, { run, after, previous });
  const last = after + rows.length;
  if (rows.length < limit && last < head.seq)
    throw journalDamaged(run, last + 1, `event ${String(last + 1)} is missing`);
  return read;
}

/** Newest first by creation: a map keeps the order in which its keys came. */
export function listRuns(disk: MemoryDisk, filter: RunsFilter): RunListing[] {
  return [...disk.runs]
    .reverse()
    .filter(([name]) => name.includes(":") === (filter.shared ?? false))
    .filter(([, run]) => filter.statuses?.includes(run.listing.status) ?? true)
    .filter(([, run]) => filter.waking !== true || run.listing.wakeAt !== null)
    .slice(0, filter.limit)
    .map(([run, found]) => ({
      ...found.listing,
      run,
      seq: found.head.seq,
      createdAt: found.createdAt,
      updatedAt: found.updatedAt,
    }));
}

const newestFirst = (one: Snapshot, other: Snapshot): number => other.seq - one.seq;

export function usableSnapshot(disk: MemoryDisk, run: string, fold?: string): Snapshot | null {
  const found = disk.runs.get(run);
  const [snapshot] = (found?.snapshots ?? [])
    .filter((one) => fold === undefined || one.fold === fold)
    .sort(newestFirst);
  return snapshot !== undefined && found?.events[snapshot.seq - 1]?.hash === snapshot.hash
    ? { ...snapshot }
    : null;
}

/** With one more in the place of the last of its version; of other versions the newest stay. */
export const withSnapshot = (known: readonly Snapshot[], snapshot: Snapshot): Snapshot[] => [
  { ...snapshot },
  ...known
    .filter(({ fold }) => fold !== snapshot.fold)
    .sort(newestFirst)
    .slice(0, OTHER_FOLDS_KEPT),
];

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
