import { checkPage, GENESIS, journalDamaged, type StoredEvent } from "../../chain.ts";
import type { Head, ReadPage, RunListing, RunsFilter } from "../../journal.ts";
import type { HeadMemory } from "../append/head-memory.ts";
import type { Readers } from "../link/readers.ts";
import { integer, text, textOrNull, type Row } from "../../row-values.ts";
import { checkText, rowSeal, sealed } from "./sealed.ts";
import { statement } from "../statements.ts";
import { listingsOf } from "../../seal.ts";
import { RUN_STATUSES } from "../../../model/state/run-status.ts";

export interface EventRows {
  read(run: string, page: ReadPage): Promise<StoredEvent[]>;
  head(run: string): Promise<Head | null>;
}

/** The run's end, agreeing with the event it names, and the hash of the event to read on from. */
interface Anchor {
  readonly key: number;
  readonly head: Head;
  readonly beforeHash: string | null;
}

/** Where the record of the end is damaged, events are read as far as they follow each other. */
const NO_END: Head = { seq: Number.MAX_SAFE_INTEGER, hash: "" };

export function eventRows(readers: Readers, memory: HeadMemory): EventRows {
  const withoutEnd = async (run: string, after: number): Promise<Anchor | null> => {
    checkText(run);
    const [row] = await readers.read(statement("runKey", run, after));
    return row === undefined
      ? null
      : { key: integer(row, "run_key"), head: NO_END, beforeHash: textOrNull(row, "before_hash") };
  };
  const anchor = async (run: string, after: number): Promise<Anchor | null> => {
    checkText(run);
    const [row] = await readers.read(statement("head", run, after));
    if (row === undefined) return null;
    const head = checkedHead(run, row);
    if (row["event_hash"] !== head.hash || row["event_position"] !== row["position"])
      throw journalDamaged(run, head.seq, "its last event is missing or not the one on record");
    return { key: integer(row, "run_key"), head, beforeHash: textOrNull(row, "before_hash") };
  };

  return {
    async head(run) {
      const found = await anchor(run, 0);
      if (found !== null) memory.note(run, { ...found.head, goal: null });
      return found?.head ?? null;
    },
    async read(run, { after, limit, withoutEnd: isEndDamaged = false }) {
      const found = await (isEndDamaged ? withoutEnd(run, after) : anchor(run, after));
      if (found === null || after >= found.head.seq) return [];
      const previous = after === 0 ? GENESIS : found.beforeHash;
      if (previous === null) throw journalDamaged(run, after, `event ${String(after)} is missing`);
      const rows = await readers.read(statement("readEvents", found.key, after, limit));
      const events = checkPage(
        rows.map((row) => storedEvent(run, row)),
        { run, after, previous },
      );
      const last = after + rows.length;
      if (found.head === NO_END) return events;
      if (rows.length < limit && last < found.head.seq)
        throw journalDamaged(run, last + 1, `event ${String(last + 1)} is missing`);
      if (last === found.head.seq) memory.note(run, { ...found.head, goal: null });
      return events;
    },
  };
}

export const storedEvent = (run: string, row: Row): StoredEvent => ({
  run,
  seq: integer(row, "seq"),
  at: integer(row, "at"),
  type: text(row, "type"),
  data: text(row, "data"),
  hash: text(row, "hash"),
});

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
  const listing = sealed.listingIn(row);
  return { ...listing, seq: checkedHead(listing.run, row).seq, updatedAt: integer(row, "updated_at") };
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
