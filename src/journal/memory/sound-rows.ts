import type { Recorded, RunEvent } from "../../model/events.ts";
import { checkPage, type StoredEvent } from "../chain.ts";

/**
 * Rows in memory are put in the place of others, never changed: what was found of one holds as long as it is there.
 * A simulated life reads its journals some thirty times; looking at each row once is what makes it affordable.
 */
const behind = new WeakMap<StoredEvent, string>();
/** Rows whose text is, letter by letter, the event that the code of today makes of it. */
const plain = new WeakSet<StoredEvent>();

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

/** As `decode`; an event that was read before is read from its text alone, into an object of its own. */
export function decodeRow(row: StoredEvent, decode: (row: StoredEvent) => Recorded): Recorded {
  if (plain.has(row)) {
    const { run, seq, at, type, data, hash } = row;
    return Object.assign({ type, data: JSON.parse(data) as unknown } as RunEvent, { run, seq, at, hash });
  }
  const event = decode(row);
  if (event.type === row.type && event.apart === undefined && JSON.stringify(event.data) === row.data)
    plain.add(row);
  return event;
}
