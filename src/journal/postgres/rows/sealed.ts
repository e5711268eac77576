import { invariant } from "../../../model/fault.ts";
import { sealOf } from "../../seal.ts";
import { SealedRows } from "../../sealed-rows.ts";

/** A row's seal as the server's `seal_of` computes it: every column as text. */
export const rowSeal = (columns: readonly (string | number | null)[]): string =>
  sealOf(columns.map((column) => (column === null ? null : String(column))));

export const sealed = new SealedRows(rowSeal);

/** PostgreSQL keeps no zero character and no half of a pair; ids hold none, and all other text is JSON. */
export function checkText(...texts: readonly string[]): void {
  for (const one of texts)
    invariant(one.isWellFormed() && !one.includes("\0"), "ids are well-formed text without zero characters");
}
