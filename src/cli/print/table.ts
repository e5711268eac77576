import { printableLine } from "../../model/text/printable.ts";
import { columnsOf } from "./printable.ts";

/** Rows with their columns aligned; the last column is left as it is. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map((cell) => printableLine(cell)));
  const widths = (cells[0] ?? []).map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, columnsOf(row[column] ?? "")), 0),
  );
  return cells.map((row) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : `${cell}${" ".repeat((widths[column] ?? 0) - columnsOf(cell))}`,
      )
      .join("  ")
      .trimEnd(),
  );
}
