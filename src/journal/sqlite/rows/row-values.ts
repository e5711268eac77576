import type { SQLOutputValue } from "node:sqlite";
import { rowDamaged } from "../../seal.ts";

export type Row = Record<string, SQLOutputValue>;

/** Columns by type. A value of another type cannot have been written by us: it is damage, not a surprise. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw wrongType(column, value, "text");
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  throw wrongType(column, value, "a number");
}

export const textOrNull = (row: Row, column: string): string | null =>
  row[column] === null ? null : text(row, column);

export const integerOrNull = (row: Row, column: string): number | null =>
  row[column] === null ? null : integer(row, column);

const wrongType = (column: string, value: SQLOutputValue | undefined, expected: string) =>
  rowDamaged(
    "stored",
    column,
    `holds ${value === null ? "nothing" : `a ${typeof value}`} where ${expected} was written`,
  );
