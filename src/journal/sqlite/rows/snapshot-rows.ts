import type { DatabaseSync } from "node:sqlite";
import { OTHER_FOLDS_KEPT, type Snapshot } from "../../journal.ts";
import { runNotFound } from "../../not-found.ts";
import { integer, type Row } from "../../row-values.ts";
import { asOneLook, roundRows, type InRounds } from "./round-rows.ts";
import { sealed } from "./sealed.ts";
import { SQL } from "../statements.ts";

/** A snapshot only shortens reopening: one that was changed, or stands on no event of the chain, is as good as none. */
export function usableSnapshot(run: string, row: Row, inRounds: InRounds): Snapshot | null {
  const { seq, hash, fold, state } = row;
  if (
    typeof seq !== "number" ||
    typeof hash !== "string" ||
    typeof fold !== "string" ||
    typeof state !== "string"
  )
    return null;
  const snapshot = { seq, hash, fold, state };
  const inRound = inRounds.get(integer(row, "run_key"))?.find((event) => event.seq === seq);
  const standsOn = inRound?.hash ?? row["event_hash"];
  return row["seal"] === sealed.snapshotSeal(run, snapshot) && standsOn === hash ? snapshot : null;
}

export interface SnapshotRows {
  /** Inside a transaction. */
  save(run: string, snapshot: Snapshot): void;
  load(run: string, fold?: string): Snapshot | null;
}

export function snapshotRows(db: DatabaseSync): SnapshotRows {
  const runKey = db.prepare(SQL.runKey);
  const upsert = db.prepare(SQL.upsertSnapshot);
  const forget = db.prepare(SQL.forgetSnapshots);
  const load = db.prepare(SQL.loadSnapshot);
  const rounds = roundRows(db);
  return {
    save(run, snapshot) {
      const row = runKey.get(run);
      if (row === undefined) throw runNotFound(run);
      const { seq, hash, fold, state } = snapshot;
      const key = integer(row, "run_key");
      upsert.run(key, seq, hash, fold, sealed.snapshotSeal(run, snapshot), state);
      forget.run(key, fold, OTHER_FOLDS_KEPT);
    },
    load: (run, fold) =>
      asOneLook(db, rounds, (inRounds) => {
        const row = load.get(run, fold ?? null);
        return row === undefined ? null : usableSnapshot(run, row, inRounds());
      }),
  };
}
