import { hash } from "node:crypto";
import { Fault, isFault } from "../model/fault.ts";
import type { RunListing, RunsFilter } from "./journal.ts";

/** A short digest over a row's columns: rows outside the chain carry one, so that a changed byte is found at read. */
export const sealOf = (columns: readonly (string | number | null)[]): string =>
  hash("sha256", JSON.stringify(columns)).slice(0, 16);

/** Damage outside a run's events, by table and key. */
export const rowDamaged = (table: string, key: string, what: string, cause?: unknown): Fault =>
  new Fault(
    "journal_damaged",
    `the store is damaged: ${table} row "${key}" ${what}; nothing was changed — run \`holdfast verify\` and restore the store from a copy`,
    { retry: "after-human", cause, details: { table, key, what } },
  );

/** Reads rows of runs; a damaged one is reported to somebody who wants to go on without it, and thrown otherwise. */
export const listingsOf = <Row>(
  rows: readonly Row[],
  { nameOf, read }: { nameOf: (row: Row) => unknown; read: (row: Row) => RunListing },
  onDamaged: RunsFilter["onDamaged"],
): RunListing[] =>
  rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      const run = nameOf(row);
      if (onDamaged === undefined || typeof run !== "string" || !isFault(error, "journal_damaged"))
        throw error;
      onDamaged(run, error);
      return [];
    }
  });

/** For those who only inform: a damaged row shows nothing, and keeps nobody from seeing the others. */
export function unlessDamaged<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch (error) {
    if (!isFault(error, "journal_damaged")) throw error;
    return [];
  }
}

export const journalClosed = (): Fault =>
  new Fault("closed", "the journal was closed and can no longer be used; open it again");

export const queueFull = (changesMax: number): Fault =>
  new Fault(
    "store_busy",
    `${String(changesMax)} changes wait for the store already, as many as may; wait for answers before asking for more`,
    { retry: "later" },
  );
