import { promise } from "../model/fault.ts";
import type { AppendOrder, AppendOutcome, Head, Lease, RemoveOrder, RemoveOutcome } from "./journal.ts";

/** What no caller may hand over, whatever the store; checked before anything is queued. */
export function checkAppendOrder(order: AppendOrder): void {
  promise(order.events.length > 0, "an append holds at least one event");
  promise(!order.run.includes("\n"), "a run's id holds no line break (the chain's text is parted by them)");
  promise(Number.isSafeInteger(order.at), "times are whole milliseconds");
  const { wakeAt } = order.listing;
  promise(wakeAt === null || Number.isSafeInteger(wakeAt), "times to wake at are whole milliseconds");
  promise(
    Number.isSafeInteger(order.expected) && order.expected >= 0,
    "an expected position is a whole number",
  );
}

/**
 * Why an append may not be written, or null if it may. Ownership comes first: a writer that lost the run learns
 * that, and not merely that somebody else was quicker (I9 before I1).
 */
export function refuseAppend(
  order: Pick<AppendOrder, "expected" | "epoch">,
  lease: { readonly epoch: number; readonly held: boolean },
  head: Head | null,
): Exclude<AppendOutcome, { kind: "appended" }> | null {
  if (!lease.held || lease.epoch !== order.epoch) return { kind: "fenced", currentEpoch: lease.epoch };
  if ((head?.seq ?? 0) !== order.expected) return { kind: "conflict", head };
  return null;
}

/** Why a run may not be removed, or null if it may: the same order of reasons, and nobody's request is dropped. */
export function refuseRemove(
  order: RemoveOrder,
  lease: { readonly epoch: number; readonly held: boolean },
  found: { readonly head: Head | null; readonly mailWaits: boolean },
): Exclude<RemoveOutcome, { kind: "removed" }> | null {
  const refused = refuseAppend({ expected: order.seq, epoch: order.epoch }, lease, found.head);
  if (refused !== null) return refused;
  if (found.head?.hash !== order.hash) return { kind: "conflict", head: found.head };
  return found.mailWaits ? { kind: "asked" } : null;
}

/** Whether a lease is still exactly as it was seen: same epoch, same holder, and no beat since. */
export const isUnchanged = (current: Lease, seen: Lease): boolean =>
  current.epoch === seen.epoch && current.owner?.id === seen.owner?.id && current.beats === seen.beats;
