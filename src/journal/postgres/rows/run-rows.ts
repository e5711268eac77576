import { RUN_STATUSES, type RunStatus } from "../../../model/state/run-status.ts";
import { journalDamaged } from "../../chain.ts";
import type { Head, RunListing, RunsFilter } from "../../journal.ts";
import { listingsOf, rowDamaged } from "../../seal.ts";
import type { Readers } from "../link/readers.ts";
import { integer, integerOrNull, rowSeal, text, type Row } from "./row-values.ts";
import { statement } from "../statements.ts";

/**
 * The seal of a run's head, made by the client before its position among the events of all runs is known: that is
 * held against the position of the event.
 */
export const sealOfHead = (run: string, head: Head, updatedAt: number): string =>
  rowSeal([run, head.seq, head.hash, updatedAt]);

/** The head in a row that has one; a run without one, or one that was changed, is damaged. */
export function checkedHead(run: string, row: Row): Head {
  if (row["seq"] === null) throw journalDamaged(run, 0, "the record of its last event is missing");
  const head = { seq: integer(row, "seq"), hash: text(row, "hash") };
  if (row["head_seal"] !== sealOfHead(run, head, integer(row, "updated_at")))
    throw journalDamaged(run, head.seq, "the record of its last event does not match its seal");
  return head;
}

export function checkedListing(row: Row): RunListing {
  const run = text(row, "run");
  const goal = text(row, "goal");
  const columns = [
    run,
    text(row, "status"),
    integerOrNull(row, "wake_at"),
    integer(row, "created_at"),
    goal,
  ] as const;
  if (row["run_seal"] !== rowSeal(columns)) throw rowDamaged("runs", run, "does not match its seal");
  const head = checkedHead(run, row);
  return {
    run,
    status: columns[1] as RunStatus,
    goal: JSON.parse(goal) as string,
    wakeAt: columns[2],
    seq: head.seq,
    createdAt: columns[3],
    updatedAt: integer(row, "updated_at"),
  };
}

export const runRows = (readers: Readers): { list(filter: RunsFilter): Promise<RunListing[]> } => ({
  /** Rows of a status nobody knows are looked at too: a changed byte must not hide a run from a filter. */
  async list({ statuses, limit, shared = false, waking = false, onDamaged }) {
    const rows = await readers.read(
      statement("listRuns", statuses ?? null, RUN_STATUSES, limit ?? null, shared, waking),
    );
    const listings = listingsOf(rows, { nameOf: (row) => row["run"], read: checkedListing }, onDamaged);
    return statuses === undefined
      ? listings
      : listings.filter((listing) => statuses.includes(listing.status));
  },
});
