import type { DatabaseSync } from "node:sqlite";
import { Fault } from "../../../model/fault.ts";
import type { MarkedEvent, MarkRecord } from "./mark-slot.ts";
import { asOneLook, roundRows, type InRounds } from "../rows/round-rows.ts";
import { MARK_SQL, REWRITE_SQL } from "../statements.ts";

const FIRST_WITH_ROUNDS = 4;

/**
 * SQLite drops what follows a bad frame of its log and calls the rest sound. The mark beside the store names events
 * that were acknowledged, so that a store which lost one is not taken for a whole one.
 *
 * A run that was removed took its events along. Keys of runs grow and are never given out twice, and the highest
 * that was removed is remembered: a run that is not there although its key is not above it was removed, and not lost.
 *
 * A run that was rewritten holds other hashes, and behind them the record of it, written in the same transaction: where
 * that is lost the hashes are the former ones.
 */
export function checkMark(
  db: DatabaseSync,
  { file, version, marks }: { file: string; version: number; marks: readonly MarkRecord[] },
): void {
  if (version === 1) return checkPlaces(db, file, marks);
  const eventAt = db.prepare(MARK_SQL.eventAt);
  const rewrittenSince = db.prepare(REWRITE_SQL.rewrittenSince);
  const wasRemoved = db.prepare(MARK_SQL.wasRemoved);
  const isThere = ({ runKey, seq, hash }: MarkedEvent, inRounds: InRounds): boolean => {
    const inRound = inRounds.get(runKey)?.find((event) => event.seq === seq);
    if (inRound !== undefined) return inRound.hash === hash;
    const found = eventAt.get(runKey, seq);
    if (found === undefined) return wasRemoved.get(runKey) !== undefined;
    return found["hash"] === hash || rewrittenSince.get(runKey, seq) !== undefined;
  };
  const missing =
    version < FIRST_WITH_ROUNDS
      ? marks.find(({ event }) => event !== null && !isThere(event, new Map()))
      : asOneLook(db, roundRows(db), (inRounds) =>
          marks.find(({ event }) => event !== null && !isThere(event, inRounds())),
        );
  const event = missing?.event ?? null;
  if (event !== null)
    throw lost(
      file,
      `event ${String(event.seq)} of run number ${String(event.runKey)} was acknowledged with hash ${event.hash}, and is not there`,
      event,
    );
}

/** A store of version 1, before it is brought to a later one: events were known by position. */
function checkPlaces(db: DatabaseSync, file: string, marks: readonly MarkRecord[]): void {
  const held = db.prepare(
    `SELECT 1 FROM events WHERE position >= ?1
      AND NOT EXISTS (SELECT 1 FROM events WHERE position = ?1 AND hash <> unhex(?2)) LIMIT 1`,
  );
  for (const { place } of marks)
    if (place !== null && held.get(place.position, place.hash) === undefined)
      throw lost(
        file,
        `position ${String(place.position)} was acknowledged with hash ${place.hash}, and is not there`,
        place,
      );
}

const lost = (file: string, what: string, acknowledged: object): Fault =>
  new Fault(
    "journal_damaged",
    `acknowledged events are missing from ${file}: ${what}; nothing was changed — restore the store from a copy, or, if it was replaced by an older copy on purpose, remove ${file}-ack`,
    { retry: "after-human", details: { file, acknowledged } },
  );
