import type { DatabaseSync } from "node:sqlite";
import { journalDamaged, type StoredEvent } from "../../chain.ts";
import type { Head } from "../../journal.ts";
import { rowDamaged } from "../../seal.ts";
import { type RoundEvent, roundLine, roundRows, sealOfRound } from "../rows/round-rows.ts";
import { text } from "../../row-values.ts";
import { checkedHead, sealOfHead } from "../rows/run-rows.ts";
import { ROUND_SQL, SQL } from "../statements.ts";
import { invariant } from "../../../model/fault.ts";

/**
 * What many runs append in one commit is written as one row, a round, instead of on a page per run: events of a run
 * lie together, so that a hundred runs at once would change a hundred pages and more for a hundred small events.
 * Later the events of several rounds are put in their places together, a run's at a time (decision 12).
 *
 * States of the table: empty, or rounds 1 … n without a gap. An event is in a round or in its place, never both.
 * 1. Written in the transaction that acknowledges the events, emptied in the one that puts them in their places: a
 *    process may die anywhere in between, and the next one finds them where they are.
 * 2. A run's first events are put in their place at once, so that its end stands there; those in rounds follow it.
 * 3. The one that writes to a run, or assesses an append by what is in place, empties the rounds before; the one that
 *    reads only adds them to what is in place (see `round-rows.ts`), and so needs no right to write.
 * 4. Bounded (I7): a round that would pass `ROUNDS_CHARS_MAX` puts those before it in their places first.
 */
export interface Rounds {
  /** First in every write transaction, which is to hold so many appends. */
  begin(appends: number, othersWrote: boolean): void;
  /** Whether what is appended to runs that have a place goes into a round. */
  readonly isOpen: boolean;
  put(runKey: number, events: readonly StoredEvent[]): Head;
  /** Last in every write transaction. */
  write(): void;
  /** Puts the events of all rounds in their places. */
  empty(): void;
  /** The transaction was undone. */
  forget(): void;
}

/** From so many appends in one commit on, a round is cheaper than a page for each. */
const ROUND_APPENDS_MIN = 16;
/** Where rounds are there already, emptying them for so few again and again would cost more than it saves. */
const ROUND_APPENDS_LEAST = 4;
/** What a reader may have to look through, give or take one append. */
const ROUNDS_CHARS_MAX = 2 ** 21;
const ROUND_CHARS_MAX = 2 ** 19;

export function rounds(db: DatabaseSync, putInPlace: EventWriter): Rounds {
  const rows = roundRows(db);
  const insert = db.prepare(ROUND_SQL.insertRound);
  const remove = db.prepare(ROUND_SQL.deleteRounds);
  const place = placing(db, putInPlace);
  /** Null: another connection wrote, or a transaction was undone. */
  let size: { readonly bytes: number; readonly last: number } | null = null;
  let lines: string[] = [];
  let chars = 0;
  let isOpen = false;
  const known = (): { readonly bytes: number; readonly last: number } => (size ??= rows.size());
  const write = (): void => {
    if (lines.length === 0) return;
    if (known().bytes + chars > ROUNDS_CHARS_MAX) placeAll();
    const { bytes, last } = known();
    const n = last + 1;
    const whole = lines.join("");
    insert.run(n, sealOfRound(n, whole), whole);
    size = { bytes: bytes + chars, last: n };
    lines = [];
    chars = 0;
  };
  const placeAll = (): void => {
    if (known().last === 0) return;
    for (const [runKey, events] of rows.read()) place(runKey, events);
    remove.run();
    size = { bytes: 0, last: 0 };
  };
  return {
    begin(appends, othersWrote) {
      if (othersWrote) size = null;
      isOpen = appends >= ROUND_APPENDS_MIN || (appends >= ROUND_APPENDS_LEAST && known().last > 0);
      if (lines.length > 0) lines = [];
      chars = 0;
    },
    get isOpen() {
      return isOpen;
    },
    put(runKey, events) {
      for (const { seq, at, type, hash, data } of events) {
        const line = roundLine({ runKey, seq, at, type, hash, data });
        chars += line.length;
        lines.push(line);
      }
      const { seq, hash } = lastOf(events);
      if (chars > ROUND_CHARS_MAX) write();
      return { seq, hash };
    },
    write,
    empty() {
      write();
      placeAll();
    },
    forget() {
      size = null;
    },
  };
}

/** Puts a run's events behind its end, which must be just before them. */
function placing(
  db: DatabaseSync,
  putInPlace: EventWriter,
): (runKey: number, events: readonly RoundEvent[]) => void {
  const runOfKey = db.prepare(ROUND_SQL.runOfKey);
  const headRow = db.prepare(SQL.head);
  return (runKey, events) => {
    const named = runOfKey.get(runKey);
    if (named === undefined) throw rowDamaged("runs", String(runKey), "is missing, and has events");
    const run = text(named, "run");
    const head = checkedHead(run, headRow.get(run) ?? {});
    checkFollows(run, head, events);
    putInPlace(
      runKey,
      events.map(({ seq, at, type, hash, data }) => ({ run, seq, at, type, data, hash })),
    );
  };
}

/** Events in rounds follow those in place without a gap. */
export function checkFollows(run: string, inPlace: Head, events: readonly RoundEvent[]): void {
  for (const [index, { seq }] of events.entries())
    if (seq !== inPlace.seq + 1 + index)
      throw journalDamaged(run, inPlace.seq + 1 + index, "it is missing between those before and behind it");
}

/** A key has 32 bits for it, and the end needs a place too. */
const SEQ_MAX = 2 ** 32 - 1;

/** Puts events in their places, inside a transaction, and shows the run's new head. */
export type EventWriter = (runKey: number, events: readonly StoredEvent[]) => Head;

/**
 * Writes events and the run's end behind them: a row that names the last event and anchors it, since without it lost
 * last events would look like an end. It stands on the same page as that event, so that a lone append writes one page.
 */
export function eventWriter(db: DatabaseSync): EventWriter {
  const insertEvent = db.prepare(SQL.insertEvent);
  const insertLastEvent = db.prepare(SQL.insertLastEvent);
  const checkWritten = (written: number | bigint, rows: number, { run, seq }: StoredEvent): void => {
    if (written !== rows) throw journalDamaged(run, seq, "there is an event behind the last one on record");
  };
  return (runKey, events) => {
    const last = lastOf(events);
    for (const event of events) {
      const { seq, at, type, hash, data } = event;
      if (event !== last) checkWritten(insertEvent.run(runKey, seq, at, type, hash, data).changes, 1, event);
    }
    const { run, seq, at, type, hash, data } = last;
    const head = { seq, hash };
    const seal = sealOfHead(run, head, at);
    checkWritten(insertLastEvent.run(runKey, seq, at, type, hash, data, seal).changes, 2, last);
    return head;
  };
}

export function lastOf(events: readonly StoredEvent[]): StoredEvent {
  const last = events.at(-1);
  invariant(last !== undefined && last.seq < SEQ_MAX, "an append holds events, and a run fewer than 2 ** 32");
  return last;
}
