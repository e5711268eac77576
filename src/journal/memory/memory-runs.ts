import { refuseAppend } from "../append-rules.ts";
import {
  chainEvents,
  checkPage,
  GENESIS,
  journalDamaged,
  type EncodedEvent,
  type StoredEvent,
} from "../chain.ts";
import type {
  AppendOrder,
  AppendOutcome,
  Head,
  ReadPage,
  RunListing,
  RunsFilter,
  Snapshot,
} from "../journal.ts";
import type { Recorded } from "../../model/events.ts";
import type { MemoryDisk, MemoryRun } from "./memory-disk.ts";
import { consumeMail } from "./memory-inbox.ts";

export function headOf(run: MemoryRun | undefined): Head | null {
  const last = run?.events.at(-1);
  return run === undefined || last === undefined
    ? null
    : { seq: last.seq, hash: last.hash, position: run.headPosition };
}

/** Decides an append; `write` makes it so, and is absent if the order is refused. */
export function planAppend(
  disk: MemoryDisk,
  order: AppendOrder,
  encoded: readonly EncodedEvent[],
): { readonly outcome: AppendOutcome; readonly write?: () => void } {
  const found = disk.runs.get(order.run);
  const lease = disk.leases.get(order.run);
  const head = headOf(found);
  const refused = refuseAppend(
    order,
    { epoch: lease?.epoch ?? 0, held: (lease?.owner ?? null) !== null },
    head,
  );
  if (refused !== null) return { outcome: refused };
  const after = { run: order.run, seq: head?.seq ?? 0, hash: head?.hash ?? GENESIS };
  const events = chainEvents(after, order.at, encoded);
  const last = events.at(-1);
  if (last === undefined) return { outcome: { kind: "conflict", head } };
  const position = disk.lastPosition + events.length;
  const outcome: AppendOutcome = { kind: "appended", head: { seq: last.seq, hash: last.hash, position } };
  return { outcome, write: () => writeAppend(disk, order, { events, position }) };
}

function writeAppend(
  disk: MemoryDisk,
  order: AppendOrder,
  planned: { readonly events: readonly StoredEvent[]; readonly position: number },
): void {
  let run = disk.runs.get(order.run);
  if (run === undefined) {
    run = {
      events: [],
      createdAt: order.at,
      headPosition: 0,
      updatedAt: order.at,
      listing: order.listing,
      snapshot: null,
    };
    disk.runs.set(order.run, run);
  }
  run.events.push(...planned.events);
  run.headPosition = planned.position;
  run.updatedAt = order.at;
  run.listing = { status: order.listing.status, goal: order.listing.goal, wakeAt: order.listing.wakeAt };
  disk.lastPosition = planned.position;
  consumeMail(disk, order.run, order.consumed ?? []);
}

export function readEvents(disk: MemoryDisk, run: string, page: ReadPage): Recorded[] {
  const events = disk.runs.get(run)?.events ?? [];
  if (page.after >= events.length) return [];
  const before = page.after === 0 ? GENESIS : events[page.after - 1]?.hash;
  if (before === undefined) throw journalDamaged(run, page.after, "it is missing");
  const rows = events.slice(page.after, page.after + page.limit);
  return checkPage(rows, { run, after: page.after, previous: before });
}

/** Newest first by creation: a map keeps the order in which its keys came. */
export function listRuns(disk: MemoryDisk, filter: RunsFilter): RunListing[] {
  return [...disk.runs]
    .reverse()
    .filter(([, run]) => filter.statuses?.includes(run.listing.status) ?? true)
    .slice(0, filter.limit)
    .map(([run, found]) => ({
      ...found.listing,
      run,
      seq: found.events.length,
      createdAt: found.createdAt,
      updatedAt: found.updatedAt,
    }));
}

export function usableSnapshot(disk: MemoryDisk, run: string): Snapshot | null {
  const found = disk.runs.get(run);
  const snapshot = found?.snapshot ?? null;
  return snapshot !== null && found?.events[snapshot.seq - 1]?.hash === snapshot.hash
    ? { ...snapshot }
    : null;
}
