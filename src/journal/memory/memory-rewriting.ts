import { refuseRewrite } from "../append-rules.ts";
import type { RewriteOrder, RewriteOutcome } from "../journal.ts";
import { placesIn } from "../large-values.ts";
import { forgetBlobs, type MemoryDisk, type MemoryRun } from "./memory-disk.ts";
import { headOf } from "./memory-runs.ts";

/** Decides a rewriting; `write` makes it so, and is absent if the order is refused. */
export function planRewrite(
  disk: MemoryDisk,
  order: RewriteOrder,
): { readonly outcome: RewriteOutcome; readonly write?: () => void } {
  const { run, events } = order;
  const lease = disk.leases.get(run);
  const isHeld = (lease?.owner ?? null) !== null;
  const refused = refuseRewrite(order, { epoch: lease?.epoch ?? 0, held: isHeld }, headOf(disk, run));
  if (refused !== null) return { outcome: refused };
  const found = disk.runs.get(run);
  const last = events.at(-1);
  if (found === undefined || last === undefined) return { outcome: { kind: "conflict", head: null } };
  const head = { seq: last.seq, hash: last.hash };
  return {
    outcome: { kind: "rewritten", head },
    write: () => {
      found.events.splice((events[0]?.seq ?? 1) - 1, Infinity, ...events);
      Object.assign(found, { head, updatedAt: order.at, listing: { ...order.listing }, snapshots: [] });
      for (const { id, body } of order.mail) {
        const mail = disk.inbox.get(id);
        if (mail?.address === run) disk.inbox.set(id, { ...mail, text: body });
      }
      useBlobs(disk, order, found);
    },
  };
}

/** Keeps the values that the run names now, and forgets those that nobody names any more. */
function useBlobs(disk: MemoryDisk, { run, uses }: RewriteOrder, { events }: MemoryRun): void {
  const texts = new Map(disk.blobs);
  for (const { digest, text } of uses.flatMap(({ blobs }) => blobs)) texts.set(digest, text);
  forgetBlobs(disk, run);
  const named = new Set(events.flatMap(({ data }) => placesIn(data).map(({ digest }) => digest)));
  if (named.size > 0) disk.blobsOfRun.set(run, named);
  for (const digest of named) disk.blobs.set(digest, texts.get(digest) ?? "");
}
