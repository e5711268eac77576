import { invariant } from "../../../model/fault.ts";
import type { RemoveOrder, RemoveOutcome } from "../../journal.ts";
import type { HeadMemory } from "../append/head-memory.ts";
import { integer, text, type Row } from "../../row-values.ts";
import { checkText, sealed } from "../rows/sealed.ts";
import { checkedHead } from "../rows/event-rows.ts";
import { statement } from "../statements.ts";
import type { Writer } from "../append/writer.ts";

/** Removes a run in one transaction; positions come from a sequence and are not given out again. */
export const runRemoval =
  (writer: Writer, memory: HeadMemory) =>
  async (order: RemoveOrder): Promise<RemoveOutcome> => {
    const { run, seq, hash, epoch } = order;
    checkText(run, hash);
    const values = [run, epoch, seq, hash, sealed.leaseSeal(run, epoch, null)];
    const { rows, again } = await writer.run(() => statement("removeRun", ...values));
    memory.forget(run);
    const [row] = rows;
    invariant(row !== undefined, "the store checks every removal");
    // Nobody but the owner of this epoch removes or lets go: what an earlier try did, its answer being lost, was ours.
    if (again && row["seq"] === null && row["owner"] === null && integer(row, "epoch") === epoch)
      return { kind: "removed" };
    return outcomeOf(run, row);
  };

function outcomeOf(run: string, row: Row): RemoveOutcome {
  const verdict = text(row, "verdict");
  switch (verdict) {
    case "removed":
    case "asked":
      return { kind: verdict };
    case "fenced":
      if (row["epoch"] !== null) sealed.checkLease(run, row);
      return { kind: "fenced", currentEpoch: row["epoch"] === null ? 0 : integer(row, "epoch") };
    case "conflict":
      return { kind: "conflict", head: row["seq"] === null ? null : checkedHead(run, row) };
    default:
      invariant(false, "the store checks every removal");
  }
}
