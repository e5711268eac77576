import type { DatabaseSync } from "node:sqlite";
import type { EncodedEvent } from "../../chain.ts";
import type { FindText } from "../../large-values.ts";
import { text } from "../../row-values.ts";
import { BLOB_SQL } from "../statements.ts";

/**
 * Large values by their digests, and which events name them. Both are written in the transaction of those events;
 * a trigger on `runs` removes what only a removed run named.
 */
export interface BlobRows {
  /** Inside the transaction of the append: the values of events, the first of which is `seq`. */
  put(run: string, seq: number, events: readonly EncodedEvent[]): void;
  readonly find: FindText;
  isUsed(run: string, seq: number, digest: string): boolean;
}

export function blobRows(db: DatabaseSync): BlobRows {
  const upsert = db.prepare(BLOB_SQL.upsertBlob);
  const insertUse = db.prepare(BLOB_SQL.insertUse);
  const blob = db.prepare(BLOB_SQL.blob);
  const use = db.prepare(BLOB_SQL.use);
  return {
    put(run, seq, events) {
      for (const [index, { apart }] of events.entries())
        for (const { digest, text: content } of apart?.blobs ?? []) {
          upsert.run(digest, content);
          insertUse.run(run, seq + index, digest);
        }
    },
    find(digest) {
      const row = blob.get(digest);
      return row === undefined ? undefined : text(row, "content");
    },
    isUsed: (run, seq, digest) => use.get(run, seq, digest) !== undefined,
  };
}
