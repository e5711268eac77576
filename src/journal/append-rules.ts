import { invariant } from "../model/fault.ts";
import { chainHash } from "./chain.ts";
import type {
  AppendOrder,
  AppendOutcome,
  Head,
  Lease,
  RemoveOrder,
  RemoveOutcome,
  RewriteOrder,
  RewriteOutcome,
} from "./journal.ts";

/** What no caller may hand over, regardless of the store; checked before anything is queued. */
export function checkAppendOrder(order: AppendOrder): void {
  invariant(order.events.length > 0, "an append holds at least one event");
  invariant(!order.run.includes("\n"), "a run's id holds no line break (the chain's text is parted by them)");
  invariant(Number.isSafeInteger(order.at), "times are whole milliseconds");
  const { wakeAt } = order.listing;
  invariant(wakeAt === null || Number.isSafeInteger(wakeAt), "times to wake at are whole milliseconds");
  invariant(
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

/** Answers the last event of an order to rewrite; what no caller may hand over is a broken promise. */
export function checkRewriteOrder({ run, head, events }: RewriteOrder): Head {
  const [first] = events;
  const last = events.at(-1);
  invariant(first !== undefined && last !== undefined, "a rewriting holds at least one event");
  invariant(first.seq <= head.seq + 1 && last.seq > head.seq, "a rewriting ends behind the head");
  let previous = first;
  for (const event of events.slice(1)) {
    const isNext = event.run === run && event.seq === previous.seq + 1;
    invariant(isNext && event.hash === chainHash(previous.hash, event), "rewritten events are a chain");
    previous = event;
  }
  return { seq: last.seq, hash: last.hash };
}

/** Why a run may not be rewritten, or null if it may. */
export function refuseRewrite(
  { head, epoch }: RewriteOrder,
  lease: { readonly epoch: number; readonly held: boolean },
  found: Head | null,
): Exclude<RewriteOutcome, { kind: "rewritten" }> | null {
  const refused = refuseAppend({ expected: head.seq, epoch }, lease, found);
  if (refused !== null) return refused;
  return found?.hash === head.hash ? null : { kind: "conflict", head: found };
}

/** Whether a lease is still exactly as it was seen: same epoch, same holder, and no beat since. */
export const isUnchanged = (current: Lease, seen: Lease): boolean =>
  current.epoch === seen.epoch && current.owner?.id === seen.owner?.id && current.beats === seen.beats;
