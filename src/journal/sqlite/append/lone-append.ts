import type { DatabaseSync } from "node:sqlite";
import { refuseAppend } from "../../append-rules.ts";
import { chainEvents, journalDamaged, type EncodedEvent, type StoredEvent } from "../../chain.ts";
import type { AppendOrder, AppendOutcome } from "../../journal.ts";
import type { AppendGuards } from "./append-guards.ts";
import { isSameListing } from "../rows/event-rows.ts";
import { lastOf } from "./rounds.ts";
import { sealOfHead } from "../rows/run-rows.ts";
import { SQL } from "../statements.ts";

/** Null: nothing was written, and the append has to be decided inside a transaction. */
export type LoneAppend = (
  order: AppendOrder,
  encoded: readonly EncodedEvent[],
  before: () => void,
) => AppendOutcome | null;

/** SQLITE_CONSTRAINT_NOTNULL. */
const NOT_NULL = 1_299;
const ROWS_WRITTEN = 2;

/**
 * Appends one event by one statement that is a transaction of its own: on a quick disk three more statements would
 * cost a lone writer a tenth of its rate.
 *
 * On disk: the event and the run's end behind it, or neither. What this handle remembers of the run may be outdated,
 * since nobody asked whether others wrote; so the statement itself looks again, and writes nothing unless the lease is
 * still held under the same epoch, no round waits to be put in place, and the run's end stands where it is expected.
 * An append that the memory alone would refuse, or that changes more than events, is left to the transaction.
 */
export function loneAppend(db: DatabaseSync, guards: AppendGuards): LoneAppend {
  const insert = db.prepare(SQL.appendAlone);
  return (order, encoded, before) => {
    const guard = guards.remembered(order.run);
    const known = guard?.run ?? null;
    if (guard === null || known === null || !writesOneEventOnly(order, encoded)) return null;
    if (!isSameListing(known.listing, order.listing)) return null;
    if (refuseAppend(order, guard.lease, known.head) !== null) return null;
    const event = lastOf(chainEvents(known.head, order, encoded));
    const { run, seq, at, type, hash, data } = event;
    const { key, createdAt, listingSeal, listing } = known;
    const head = { seq, hash };
    before();
    try {
      const seal = sealOfHead(run, head, at);
      const { changes } = insert.run(key, seq, at, type, hash, data, seal, run, order.epoch);
      if (changes !== ROWS_WRITTEN) throw notBoth(event, changes);
    } catch (error) {
      if ((error as { errcode?: unknown }).errcode === NOT_NULL) return null;
      throw error;
    }
    guards.appended(run, { lease: guard.lease, run: { key, createdAt, head, listingSeal, listing } });
    return { kind: "appended", head };
  };
}

const notBoth = ({ run, seq }: StoredEvent, changes: number | bigint): Error =>
  journalDamaged(run, seq, `${String(changes)} rows were written, and an event and its end are two`);

const writesOneEventOnly = (order: AppendOrder, encoded: readonly EncodedEvent[]): boolean =>
  encoded.length === 1 && encoded[0]?.apart === undefined && (order.consumed?.length ?? 0) === 0;
