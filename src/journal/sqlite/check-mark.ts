import type { DatabaseSync } from "node:sqlite";
import { Fault } from "../../model/fault.ts";
import { integer } from "./row-values.ts";
import { SQL } from "./statements.ts";

/**
 * SQLite drops what follows a bad frame of its log and calls the rest sound. The mark beside the store names the
 * last event that was acknowledged, so that a store which lost it is not taken for a whole one.
 */
export function checkMark(
  db: DatabaseSync,
  file: string,
  mark: { readonly position: number; readonly hash: string } | null,
): void {
  if (mark === null) return;
  const last = db.prepare(SQL.lastPosition).get();
  const lastPosition = last === undefined ? 0 : integer(last, "position");
  const found = db.prepare(SQL.eventAtPosition).get(mark.position);
  if (lastPosition >= mark.position && (found === undefined || found["hash"] === mark.hash)) return;
  throw new Fault(
    "journal_damaged",
    `acknowledged events are missing from ${file}: it ends at position ${String(lastPosition)}, and position ${String(mark.position)} was acknowledged with hash ${mark.hash}; nothing was changed — restore the store from a copy, or, if it was replaced by an older copy on purpose, remove ${file}-ack`,
    { retry: "after-human", details: { file, lastPosition, acknowledged: mark.position } },
  );
}
