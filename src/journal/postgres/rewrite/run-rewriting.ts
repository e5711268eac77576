import { invariant } from "../../../model/fault.ts";
import { checkRewriteOrder } from "../../append-rules.ts";
import type { Head, RewriteOrder, RewriteOutcome } from "../../journal.ts";
import type { HeadMemory } from "../append/head-memory.ts";
import { integer, text, type Row } from "../../row-values.ts";
import { checkText, sealed } from "../rows/sealed.ts";
import { checkedHead, sealOfHead } from "../rows/event-rows.ts";
import { statement } from "../statements.ts";
import type { Writer } from "../append/writer.ts";

/** Puts other texts in the place of a run's last events, in one transaction. */
export const runRewriting =
  (writer: Writer, memory: HeadMemory) =>
  async (order: RewriteOrder): Promise<RewriteOutcome> => {
    const last = checkRewriteOrder(order);
    const { run, epoch, head } = order;
    checkText(run, head.hash, ...order.mail.map(({ id }) => id));
    const values = [run, epoch, head.seq, head.hash, JSON.stringify(contentOf(order, last))];
    const { rows, again } = await writer.run(() => statement("rewriteRun", ...values));
    memory.forget(run);
    const [row] = rows;
    invariant(row !== undefined, "the store checks every rewriting");
    // Nobody but the owner of this epoch writes: what an earlier try did, its answer being lost, was ours.
    if (again && row["hash"] === last.hash) return { kind: "rewritten", head: last };
    return outcomeOf(run, row, last);
  };

const contentOf = ({ run, events, uses, dropped, mail, listing }: RewriteOrder, last: Head): object => ({
  events: events.map(({ seq, at, type, hash, data }) => ({ seq, at, type, hash, data })),
  last_seq: last.seq,
  seal: sealOfHead(run, last, events.at(-1)?.at ?? 0),
  status: listing.status,
  wake_at: listing.wakeAt,
  goal: JSON.stringify(listing.goal),
  mail,
  changed: uses.map(({ seq }) => seq),
  blobs: uses.flatMap(({ seq, blobs }) =>
    blobs.map(({ digest, text: content }) => ({ seq, digest, content })),
  ),
  dropped,
});

function outcomeOf(run: string, row: Row, head: Head): RewriteOutcome {
  const verdict = text(row, "verdict");
  switch (verdict) {
    case "rewritten":
      return { kind: verdict, head };
    case "fenced":
      if (row["epoch"] !== null) sealed.checkLease(run, row);
      return { kind: "fenced", currentEpoch: row["epoch"] === null ? 0 : integer(row, "epoch") };
    case "conflict":
      return { kind: "conflict", head: row["seq"] === null ? null : checkedHead(run, row) };
    default:
      invariant(false, "the store checks every rewriting");
  }
}
