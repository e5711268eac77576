import { hash } from "node:crypto";
import type { ApartPlace } from "../model/state/bound-tree.ts";
import { decodeEvent, encodeEventData } from "../model/events/event-codec.ts";
import type { Recorded, RunEvent } from "../model/events/events.ts";
import { Fault } from "../model/fault.ts";

/** The predecessor of a run's first event. */
export const GENESIS = "0".repeat(64);

/** An event as stores keep it. */
export interface StoredEvent {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly data: string;
  readonly hash: string;
}

/** Run and type hold no line breaks, numbers have one spelling, and data comes last: the text is unambiguous. */
export const chainHash = (previous: string, event: Omit<StoredEvent, "hash">): string =>
  hash(
    "sha256",
    `${previous}\n${event.run}\n${String(event.seq)}\n${String(event.at)}\n${event.type}\n${event.data}`,
  );

/** Type and text of an event: taken when it is handed over, so that what its maker does afterwards cannot change it. */
export interface EncodedEvent {
  readonly type: string;
  readonly data: string;
  /** Large values that `data` only names (see `large-values.ts`). */
  readonly apart?: Apart;
}

export interface Apart {
  readonly places: readonly ApartPlace[];
  readonly blobs: readonly Blob[];
}

/** The text of a large value, as stores keep it once, under its digest. */
export interface Blob {
  readonly digest: string;
  readonly text: string;
}

export const encodeEvent = (event: RunEvent): EncodedEvent => ({
  type: event.type,
  data: encodeEventData(event),
});

/** Links new events to the head of their run. */
export function chainEvents(
  after: { readonly seq: number; readonly hash: string },
  { run, at }: { readonly run: string; readonly at: number },
  events: readonly EncodedEvent[],
): StoredEvent[] {
  const chained: StoredEvent[] = [];
  let { seq, hash: previous } = after;
  for (const { type, data } of events) {
    seq += 1;
    const event = { run, seq, at, type, data, hash: "" };
    event.hash = previous = chainHash(previous, event);
    chained.push(event);
  }
  return chained;
}

export const journalDamaged = (run: string, seq: number, what: string): Fault =>
  new Fault(
    "journal_damaged",
    `the journal of ${run} is damaged at event ${String(seq)}: ${what}; nothing was changed — run \`holdfast verify ${run}\` and restore the store from a copy`,
    { retry: "after-human", details: { run, seq, what } },
  );

/**
 * Checks a page of stored events against the hash before it.
 * `previous` is the hash of event `after`, and `head` the last event the run is known to have: a page that ends
 * early without reaching it is damage, not an end.
 */
export function checkPage(
  rows: readonly StoredEvent[],
  from: { run: string; after: number; previous: string },
): StoredEvent[] {
  let previous = from.previous;
  for (const [index, row] of rows.entries()) {
    const seq = from.after + 1 + index;
    if (row.seq !== seq) throw journalDamaged(from.run, seq, `event ${String(seq)} is missing`);
    const expected = chainHash(previous, row);
    if (row.hash !== expected) throw journalDamaged(from.run, seq, "its content does not match its hash");
    previous = row.hash;
  }
  return [...rows];
}

/** A checked event as the code of today understands it. */
export const decodeStored = ({ run, seq, at, type, data, hash }: StoredEvent): Recorded =>
  Object.assign(decodeEvent(type, data), { run, seq, at, hash });
