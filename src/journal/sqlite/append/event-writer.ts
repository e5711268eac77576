import type { DatabaseSync } from "node:sqlite";
import { invariant } from "../../../model/fault.ts";
import { journalDamaged, type StoredEvent } from "../../chain.ts";
import type { Head } from "../../journal.ts";
import { sealOfHead } from "../rows/run-rows.ts";
import { SQL } from "../statements.ts";

/** A key has 32 bits for it, and the end needs a place too. */
const SEQ_MAX = 2 ** 32 - 1;

/** Puts events in their places, inside a transaction, and tells the run's new head. */
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
