import type { DatabaseSync } from "node:sqlite";
import { refuseRemove } from "../../append-rules.ts";
import type { RemoveOrder, RemoveOutcome } from "../../journal.ts";
import type { Writing } from "../rows/event-rows.ts";
import { REMOVE_SQL } from "../statements.ts";

/**
 * Removes a run, inside a transaction. The highest key of a removed run is remembered: no run gets it again, and the
 * acknowledged mark beside the store may go on naming an event of the run without its being called lost.
 */
export function runRemoval(
  db: DatabaseSync,
  { guards, rounds }: Pick<Writing, "guards" | "rounds">,
  release: (address: string, epoch: number) => void,
): (order: RemoveOrder) => RemoveOutcome {
  const mailWaits = db.prepare(REMOVE_SQL.mailWaits);
  const deleteMail = db.prepare(REMOVE_SQL.deleteMail);
  // The rows that refer to the run before the run itself.
  const deletions = [REMOVE_SQL.deleteSnapshot, REMOVE_SQL.deleteEvents, REMOVE_SQL.deleteRun].map((sql) =>
    db.prepare(sql),
  );
  const noteRemoved = db.prepare(REMOVE_SQL.noteRemoved);
  const forgetRemoved = db.prepare(REMOVE_SQL.forgetRemoved);

  return (order) => {
    rounds.empty();
    const guard = guards.of(order.run);
    const found = guard?.run ?? null;
    const refused = refuseRemove(order, guard?.lease ?? { epoch: 0, held: false }, {
      head: found?.head ?? null,
      mailWaits: mailWaits.get(order.run) !== undefined,
    });
    if (refused !== null) return refused;
    if (found === null) return { kind: "conflict", head: null };
    for (const deletion of deletions) deletion.run(found.key);
    if (noteRemoved.run(found.key).changes === 1) forgetRemoved.run(found.key);
    deleteMail.run(order.run);
    release(order.run, order.epoch);
    guards.forget(order.run);
    return { kind: "removed" };
  };
}
