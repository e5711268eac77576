import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { RUN_STATUSES } from "../../../model/state/run-status.ts";
import { journalDamaged } from "../../chain.ts";
import type { Head, ListingUpdate, RunListing, RunsFilter } from "../../journal.ts";
import { integer, text, type Row } from "../../row-values.ts";
import { listingsOf, sealOf } from "../../seal.ts";
import { asOneLook, roundRows, type InRounds } from "./round-rows.ts";
import { sealed } from "./sealed.ts";
import { SQL } from "../statements.ts";

/** A run's listing as it lies in its row; the goal is JSON text, so that any string survives. */
export const sealOfListing = (run: string, createdAt: number, listing: ListingUpdate): string =>
  sealOf([run, listing.status, listing.wakeAt, createdAt, JSON.stringify(listing.goal)]);

/**
 * A checksum where other rows carry a digest: the end of a run is written with every append, and the one that reads it
 * also holds it against the event before it.
 */
export const sealOfHead = (run: string, head: Head, updatedAt: number): string =>
  crc32(`${run}\n${String(head.seq)}\n${head.hash}\n${String(updatedAt)}`).toString(16);

/** The head as a run's end names it; a run whose last row is no end, or a changed one, is damaged. */
export function checkedHead(run: string, row: Row): Head {
  if (row["seq"] === null) throw journalDamaged(run, 0, "the record of its last event is missing");
  const head = { seq: integer(row, "seq"), hash: text(row, "hash") };
  if (row["end_type"] !== "")
    throw journalDamaged(run, head.seq + 1, "its last event is missing or not the one on record");
  if (row["head_seal"] !== sealOfHead(run, head, integer(row, "updated_at")))
    throw journalDamaged(run, head.seq, "the record of its last event does not match its seal");
  return head;
}

/** `inRounds` may hold events behind the run's end. */
export function checkedListing(row: Row, inRounds: InRounds): RunListing {
  const listing = sealed.listingIn(row);
  const head = checkedHead(listing.run, row);
  const behind = inRounds.get(integer(row, "run_key"))?.at(-1);
  return {
    ...listing,
    seq: behind?.seq ?? head.seq,
    updatedAt: behind?.at ?? integer(row, "updated_at"),
  };
}

export function runRows(db: DatabaseSync): { list(filter: RunsFilter): RunListing[] } {
  const list = db.prepare(SQL.listRuns);
  const rounds = roundRows(db);
  return {
    /** Rows of a status nobody knows are looked at too: a changed byte must not hide a run from a filter. */
    list(filter) {
      const statuses = filter.statuses === undefined ? null : JSON.stringify(filter.statuses);
      const listings = asOneLook(db, rounds, (inRounds) => {
        const rows = list.all(
          statuses,
          JSON.stringify(RUN_STATUSES),
          filter.limit ?? -1,
          Number(filter.shared === true),
          Number(filter.waking === true),
        );
        const of = { nameOf: (row: Row) => row["run"], read: (row: Row) => checkedListing(row, inRounds()) };
        return listingsOf(rows, of, filter.onDamaged);
      });
      return filter.statuses === undefined
        ? listings
        : listings.filter((listing) => filter.statuses?.includes(listing.status));
    },
  };
}
