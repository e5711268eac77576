import type { DatabaseSync } from "node:sqlite";
import { checkRewriteOrder, refuseRemove, refuseRewrite } from "../../append-rules.ts";
import { journalDamaged } from "../../chain.ts";
import type {
  ListingUpdate,
  MailText,
  RemoveOrder,
  RemoveOutcome,
  RewriteOrder,
  RewriteOutcome,
} from "../../journal.ts";
import type { GuardedRun } from "../append/append-guards.ts";
import type { Writing } from "../rows/event-rows.ts";
import { sealed } from "../rows/sealed.ts";
import { sealOfListing } from "../rows/run-rows.ts";
import { BLOB_SQL, REMOVE_SQL, REWRITE_SQL, SQL } from "../statements.ts";

/**
 * Puts other texts in the place of a run's last events, inside a transaction. The acknowledged mark beside the store
 * may go on naming an event by the hash that it had: the record of the removal, which is the new last event, reports it
 * (see `check-mark.ts`).
 */
export function runRewriting(
  db: DatabaseSync,
  { guards, rounds, putInPlace }: Writing,
): (order: RewriteOrder) => RewriteOutcome {
  const updateEvent = db.prepare(REWRITE_SQL.updateEvent);
  const deleteSnapshot = db.prepare(REMOVE_SQL.deleteSnapshot);
  const updateRun = db.prepare(SQL.updateRun);
  const putBlobs = blobRewriting(db);
  const putMail = mailRewriting(db);

  return (order) => {
    const head = checkRewriteOrder(order);
    rounds.empty();
    const guard = guards.of(order.run);
    const found = guard?.run ?? null;
    const refused = refuseRewrite(order, guard?.lease ?? { epoch: 0, held: false }, found?.head ?? null);
    if (refused !== null) return refused;
    if (guard === null || found === null) return { kind: "conflict", head: null };
    const isThere = ({ seq }: { readonly seq: number }): boolean => seq <= order.head.seq;
    for (const { seq, hash, data } of order.events.filter(isThere))
      if (updateEvent.run(found.key, seq, hash, data).changes !== 1)
        throw journalDamaged(order.run, seq, `event ${String(seq)} is missing`);
    putInPlace(
      found.key,
      order.events.filter((event) => !isThere(event)),
    );
    deleteSnapshot.run(found.key);
    putBlobs(order);
    putMail(order.run, order.mail);
    const { status, wakeAt, goal } = order.listing;
    const listingSeal = sealOfListing(order.run, found.createdAt, order.listing);
    updateRun.run(status, wakeAt, listingSeal, JSON.stringify(goal), found.key);
    guards.appended(order.run, {
      lease: guard.lease,
      run: rewrittenRun(order.listing, found, { head, listingSeal }),
    });
    return { kind: "rewritten", head };
  };
}

const rewrittenRun = (
  { status, wakeAt, goal }: ListingUpdate,
  { key, createdAt }: GuardedRun,
  now: Pick<GuardedRun, "head" | "listingSeal">,
): GuardedRun => ({ key, createdAt, ...now, listing: { status, goal, wakeAt } });

function blobRewriting(db: DatabaseSync): (order: RewriteOrder) => void {
  const upsert = db.prepare(BLOB_SQL.upsertBlob);
  const insertUse = db.prepare(BLOB_SQL.insertUse);
  const deleteUses = db.prepare(REWRITE_SQL.deleteUses);
  const deleteUnused = db.prepare(REWRITE_SQL.deleteUnused);
  return ({ run, uses, dropped }) => {
    for (const { seq, blobs } of uses) {
      deleteUses.run(run, seq);
      for (const { digest, text } of blobs) {
        upsert.run(digest, text);
        insertUse.run(run, seq, digest);
      }
    }
    for (const digest of dropped) deleteUnused.run(digest);
  };
}

/** Rows that are damaged keep their wrong seal, so that `verify` finds them. */
function mailRewriting(db: DatabaseSync): (address: string, mail: readonly MailText[]) => void {
  const byId = db.prepare(SQL.mailById);
  const update = db.prepare(REWRITE_SQL.updateMail);
  return (address, mail) => {
    for (const { id, body } of mail) {
      const row = byId.get(id);
      if (row === undefined || row["address"] !== address) continue;
      update.run(body, sealed.mailSeal({ ...sealed.checkMail(row), body }), id);
    }
  };
}

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
