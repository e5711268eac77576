import { rowDamaged } from "./seal.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Columns by type. A value of another type cannot have been written by us: it is damage, not a surprise. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw wrongType(column, value, "text");
}

/** PostgreSQL's driver gives 64 bits as text, since not all of them fit a number; ours always do. */
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
