import { hash } from "node:crypto";
import { Fault } from "../model/fault.ts";

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

export const journalClosed = (): Fault =>
  new Fault("closed", "the journal was closed and cannot be used any more; open it anew");
