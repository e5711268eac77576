import type { DatabaseSync } from "node:sqlite";
import { refuseAppend } from "../../append-rules.ts";
import {
  chainEvents,
  checkPage,
  GENESIS,
  journalDamaged,
  type EncodedEvent,
  type StoredEvent,
} from "../../chain.ts";
import type { AppendOrder, AppendOutcome, Head, ListingUpdate, ReadPage } from "../../journal.ts";
import { absence } from "../mark/absence.ts";
import type { AppendGuards, GuardedRun } from "../append/append-guards.ts";
import { checkFollows, type EventWriter, type Rounds } from "../append/rounds.ts";
import { asOneLook, roundRows, type InRounds, type RoundEvent } from "./round-rows.ts";
import { integer, text, type Row } from "../../row-values.ts";
import { checkedHead, sealOfListing } from "./run-rows.ts";
import { SQL } from "../statements.ts";

export interface EventRows {
  /** Inside a transaction: assesses and writes. */
  append(order: AppendOrder, encoded: readonly EncodedEvent[]): AppendOutcome;
  read(run: string, page: ReadPage): StoredEvent[];
  head(run: string): Head | null;
}

type Consume = (address: string, ids: readonly string[]) => void;

/** Where an append is assessed and where its events go. */
export interface Writing {
  readonly guards: AppendGuards;
  readonly rounds: Rounds;
  readonly putInPlace: EventWriter;
}

export const eventRows = (db: DatabaseSync, writing: Writing, consume: Consume): EventRows => ({
  append: appending(db, writing, consume),
  ...reading(db),
});

function appending(db: DatabaseSync, writing: Writing, consume: Consume): EventRows["append"] {
  const { guards, rounds, putInPlace } = writing;
  const putListing = listingWriter(db);
  const putEvents = (isNew: boolean, key: number, events: readonly StoredEvent[]): Head => {
    if (rounds.isOpen && !isNew) return rounds.put(key, events);
    if (!isNew) rounds.empty();
    return putInPlace(key, events);
  };

  return (order, encoded) => {
    const guard = guards.of(order.run);
    if (guard === null) return { kind: "fenced", currentEpoch: 0 };
    const before = guard.run?.head ?? null;
    const refused = refuseAppend(order, guard.lease, before);
    if (refused !== null) return refused;
    const events = chainEvents(before ?? { seq: 0, hash: GENESIS }, order, encoded);
    const listed = putListing(order, guard.run);
    const head = putEvents(before === null, listed.key, events);
    if (order.consumed !== undefined && order.consumed.length > 0) consume(order.run, order.consumed);
    const { key, createdAt, listingSeal, listing } = listed;
    guards.appended(order.run, { lease: guard.lease, run: { key, createdAt, head, listingSeal, listing } });
    return { kind: "appended", head };
  };
}

/** Writes the run's listing if it changed, which is rare, and says what is known of the run from now on. */
function listingWriter(
  db: DatabaseSync,
): (order: AppendOrder, known: GuardedRun | null) => Omit<GuardedRun, "head"> {
  const insertRun = db.prepare(SQL.insertRun);
  const updateRun = db.prepare(SQL.updateRun);
  return ({ run, at, listing }, known) => {
    if (known !== null && isSameListing(known.listing, listing)) return known;
    const createdAt = known?.createdAt ?? at;
    const listingSeal = sealOfListing(run, createdAt, listing);
    const { status, wakeAt } = listing;
    const goal = JSON.stringify(listing.goal);
    const key =
      known?.key ?? Number(insertRun.run(run, status, wakeAt, createdAt, listingSeal, goal).lastInsertRowid);
    if (known !== null && known.listingSeal !== listingSeal)
      updateRun.run(status, wakeAt, listingSeal, goal, key);
    return { key, createdAt, listingSeal, listing: { status, goal: listing.goal, wakeAt } };
  };
}

export const isSameListing = (one: ListingUpdate | null, other: ListingUpdate): boolean =>
  one !== null && one.status === other.status && one.wakeAt === other.wakeAt && one.goal === other.goal;

/** Of a run whose end is damaged: as far as there are events. */
const NO_END: Head = { seq: 0xff_ff_ff_fe, hash: "" };

interface InPlace {
  readonly key: number;
  readonly head: Head;
}

function reading(db: DatabaseSync): Pick<EventRows, "read" | "head"> {
  const anchor = anchoring(db);
  const eventHash = db.prepare(SQL.eventHash);
  const readEvents = db.prepare(SQL.readEvents);
  const rows = roundRows(db);
  const hashBefore = (run: string, key: number, after: number): string => {
    if (after === 0) return GENESIS;
    const row = eventHash.get(key, after);
    if (row === undefined) throw journalDamaged(run, after, `event ${String(after)} is missing`);
    return text(row, "hash");
  };
  /** What is in place of a page, checked. */
  const readInPlace = (run: string, { key, head }: InPlace, { after, limit }: ReadPage): StoredEvent[] => {
    if (after >= head.seq) return [];
    const previous = hashBefore(run, key, after);
    const found = readEvents
      .all(key, after, head.seq, limit)
      .map((row) => storedEvent(run, row))
      .filter(({ type }) => head !== NO_END || type !== "");
    const last = after + found.length;
    const events = checkPage(found, { run, after, previous });
    if (found.length < limit && last < head.seq && head !== NO_END)
      throw journalDamaged(run, last + 1, `event ${String(last + 1)} is missing`);
    return events;
  };

  return {
    head: (run) =>
      asOneLook(db, rows, (inRounds) => {
        const found = anchor(run);
        if (found === null) return null;
        const { seq, hash } = behind(run, found, inRounds()).at(-1) ?? found.head;
        return { seq, hash };
      }),
    read: (run, page) =>
      asOneLook(db, rows, (inRounds) => {
        const found = anchor(run, page.withoutEnd);
        if (found === null) return [];
        const events = readInPlace(run, found, page);
        if (events.length === page.limit || found.head === NO_END) return events;
        return [...events, ...readBehind(run, { found, page, events: behind(run, found, inRounds()) })].slice(
          0,
          page.limit,
        );
      }),
  };
}

/** The run's anchor: its head, agreeing with the event it names. */
function anchoring(db: DatabaseSync): (run: string, withoutEnd?: boolean) => InPlace | null {
  const headRow = db.prepare(SQL.head);
  const absent = absence(db);
  const keyOf = db.prepare(SQL.runKey);
  return (run, withoutEnd = false) => {
    const key = withoutEnd ? keyOf.get(run)?.["run_key"] : undefined;
    if (typeof key === "number") return { key, head: NO_END };
    const row = headRow.get(run);
    if (row === undefined) {
      absent.ofRun(run);
      return null;
    }
    const head = checkedHead(run, row);
    if (row["event_hash"] !== head.hash)
      throw journalDamaged(run, head.seq, "its last event is missing or not the one on record");
    return { key: integer(row, "run_key"), head };
  };
}

/** What rounds hold of a run, behind what is in place. */
function behind(run: string, { key, head }: InPlace, inRounds: InRounds): readonly RoundEvent[] {
  const events = inRounds.get(key) ?? [];
  checkFollows(run, head, events);
  return events;
}

/** Of events in rounds, those that belong to a page; the whole of them is checked against what is in place. */
function readBehind(
  run: string,
  { found, page, events }: { found: InPlace; page: ReadPage; events: readonly RoundEvent[] },
): StoredEvent[] {
  const { seq: after, hash: previous } = found.head;
  const stored = events.map(({ seq, at, type, hash, data }) => ({ run, seq, at, type, data, hash }));
  return checkPage(stored, { run, after, previous }).filter(({ seq }) => seq > page.after);
}

export const storedEvent = (run: string, row: Row): StoredEvent => ({
  run,
  seq: integer(row, "seq"),
  at: integer(row, "at"),
  type: text(row, "type"),
  data: text(row, "data"),
  hash: text(row, "hash"),
});
