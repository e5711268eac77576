import type { EventType, Recorded, RunEvent } from "../../model/events/events.ts";
import { checkPage, type StoredEvent } from "../chain.ts";
import { placesIn } from "../large-values.ts";

/**
 * Rows in memory are put in the place of others, never changed: what was found of one holds as long as it is there.
 * A simulated life reads its journals some thirty times; looking at each row once is what makes it affordable.
 */
const behind = new WeakMap<StoredEvent, string>();
/** What the code of today makes of a row, as text: with its members in the order of the schema, and its own type. */
const understood = new WeakMap<StoredEvent, { readonly type: EventType; readonly text: string }>();

/** As `checkPage`; rows that were found behind the same predecessor are not hashed again. */
export function checkRows(
  rows: readonly StoredEvent[],
  from: { run: string; after: number; previous: string },
): StoredEvent[] {
  let { previous } = from;
  let known = 0;
  for (const row of rows) {
    if (row.seq !== from.after + 1 + known || behind.get(row) !== previous) break;
    previous = row.hash;
    known += 1;
  }
  const fresh = checkPage(rows.slice(known), { run: from.run, after: from.after + known, previous });
  for (const row of fresh) {
    behind.set(row, previous);
    previous = row.hash;
  }
  return [...rows];
}

/** As `decode`; an event that was understood before is read from that, into an object of its own. */
export function decodeRow(row: StoredEvent, decode: (row: StoredEvent) => Recorded): Recorded {
  const before = understood.get(row);
  if (before !== undefined) {
    const { run, seq, at, hash } = row;
    const event = { type: before.type, data: JSON.parse(before.text) as unknown } as RunEvent;
    return Object.assign(event, { run, seq, at, hash });
  }
  const event = decode(row);
  // One with large values is read in two ways.
  if (placesIn(row.data).length === 0)
    understood.set(row, { type: event.type, text: JSON.stringify(event.data) });
  return event;
}
