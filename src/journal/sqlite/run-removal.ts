import type { DatabaseSync } from "node:sqlite";
import { refuseRemove } from "../append-rules.ts";
import type { RemoveOrder, RemoveOutcome } from "../journal.ts";
import type { AppendGuards } from "./append-guards.ts";
import { integer, text } from "./row-values.ts";
import { REMOVE_SQL, SQL } from "./statements.ts";

/**
 * Removes a run, inside a transaction.
 *
 * Where it held the store's last event, a row without content keeps that event's place and hash. So the next event
 * gets a new position, not one that was given out before, and the acknowledged mark beside the store still finds
 * what it names instead of calling it lost. There is at most one such row.
 */
export function runRemoval(
  db: DatabaseSync,
  guards: AppendGuards,
  release: (address: string, epoch: number) => void,
): (order: RemoveOrder) => RemoveOutcome {
  const mailWaits = db.prepare(REMOVE_SQL.mailWaits);
  const deleteMail = db.prepare(REMOVE_SQL.deleteMail);
  // The rows that refer to the run before the run itself.
  const deletions = [
    REMOVE_SQL.deleteSnapshot,
    REMOVE_SQL.deleteHead,
    REMOVE_SQL.deleteEvents,
    REMOVE_SQL.deleteRun,
  ].map((sql) => db.prepare(sql));
  const keepLastPlace = lastPlaceKeeper(db);

  return (order) => {
    const guard = guards.of(order.run);
    const found = guard?.run ?? null;
    const refused = refuseRemove(order, guard?.lease ?? { epoch: 0, held: false }, {
      head: found?.head ?? null,
      mailWaits: mailWaits.get(order.run) !== undefined,
    });
    if (refused !== null) return refused;
    if (found === null) return { kind: "conflict", head: null };
    keepLastPlace(() => {
      for (const deletion of deletions) deletion.run(found.key);
    });
    deleteMail.run(order.run);
    release(order.run, order.epoch);
    guards.forget(order.run);
    return { kind: "removed" };
  };
}

function lastPlaceKeeper(db: DatabaseSync): (remove: () => void) => void {
  const lastPosition = db.prepare(SQL.lastPosition);
  const eventAt = db.prepare(SQL.eventAtPosition);
  const deleteLastPlace = db.prepare(REMOVE_SQL.deleteLastPlace);
  const insertLastPlace = db.prepare(REMOVE_SQL.insertLastPlace);
  const last = (): number => {
    const row = lastPosition.get();
    return row === undefined ? 0 : integer(row, "position");
  };
  return (remove) => {
    const before = last();
    const event = eventAt.get(before);
    remove();
    if (event === undefined || last() === before) return;
    deleteLastPlace.run();
    insertLastPlace.run(before, text(event, "hash"));
  };
}
