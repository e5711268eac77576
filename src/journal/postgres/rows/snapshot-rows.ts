import { OTHER_FOLDS_KEPT, type Snapshot } from "../../journal.ts";
import { runNotFound } from "../../not-found.ts";
import { integer, text, type Row } from "../../row-values.ts";
import type { Readers } from "../link/readers.ts";
import { checkText, sealed } from "./sealed.ts";
import { statement } from "../statements.ts";
import type { Writer } from "../append/writer.ts";

/** A snapshot only shortens reopening: one that was changed, or stands on no event of the chain, is as good as none. */
export function usableSnapshot(run: string, row: Row): Snapshot | null {
  const snapshot = {
    seq: integer(row, "seq"),
    hash: text(row, "hash"),
    fold: text(row, "fold"),
    state: text(row, "state"),
  };
  const stands = row["event_hash"] === snapshot.hash;
  return row["seal"] === sealed.snapshotSeal(run, snapshot) && stands ? snapshot : null;
}

export interface SnapshotRows {
  save(run: string, snapshot: Snapshot): Promise<void>;
  load(run: string, fold?: string): Promise<Snapshot | null>;
}

const HEX = /^([0-9a-f]{2})*$/;

export const snapshotRows = (readers: Readers, writer: Writer): SnapshotRows => ({
  async save(run, snapshot) {
    checkText(run, snapshot.fold, snapshot.state);
    const { seq, hash, fold, state } = snapshot;
    // A hash that is none stands on no event: kept as empty, it is as good as none, like the snapshot.
    const kept = HEX.test(hash) ? hash : "";
    const seal = sealed.snapshotSeal(run, { ...snapshot, hash: kept });
    const { rows } = await writer.run(() =>
      statement("upsertSnapshot", run, seq, kept, fold, seal, state, OTHER_FOLDS_KEPT),
    );
    if (rows.length === 0) throw runNotFound(run);
  },
  async load(run, fold) {
    checkText(run, fold ?? "");
    const [row] = await readers.read(statement("loadSnapshot", run, fold ?? null));
    return row === undefined ? null : usableSnapshot(run, row);
  },
});
