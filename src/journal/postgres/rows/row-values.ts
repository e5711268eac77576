import { invariant } from "../../../model/fault.ts";
import { rowDamaged, sealOf } from "../../seal.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Columns by type. A value of another type cannot have been written by us: it is damage, not a surprise. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw wrongType(column, value, "text");
}

/** The driver gives 64 bits as text, since not all of them fit a number; ours always do. */
export function integer(row: Row, column: string): number {
  const value = row[column];
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  throw wrongType(column, value, "a whole number");
}

export const textOrNull = (row: Row, column: string): string | null =>
  row[column] === null ? null : text(row, column);

export const integerOrNull = (row: Row, column: string): number | null =>
  row[column] === null ? null : integer(row, column);

const wrongType = (column: string, value: unknown, expected: string) =>
  rowDamaged(
    "stored",
    column,
    `holds ${value === null ? "nothing" : `a ${typeof value}`} where ${expected} was written`,
  );

/** A row's seal as the server's `seal_of` computes it: every column as text. */
export const rowSeal = (columns: readonly (string | number | null)[]): string =>
  sealOf(columns.map((column) => (column === null ? null : String(column))));

/** PostgreSQL keeps no zero character and no half of a pair; ids hold none, and all other text is JSON. */
export function checkText(...texts: readonly string[]): void {
  for (const one of texts)
    invariant(one.isWellFormed() && !one.includes("\0"), "ids are well-formed text without zero characters");
}
