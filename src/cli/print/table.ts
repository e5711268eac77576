import { printableLine } from "../../model/text/printable.ts";

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

/** Columns a line takes, on the safe side: what may be wide counts as wide. */
export const columnsOf = (line: string): number =>
  [...line].reduce((sum, char) => sum + columnsOfChar(char.codePointAt(0) ?? 0), 0);

const columnsOfChar = (code: number): number => (code < 0x1100 || (code >= 0x2000 && code < 0x2e80) ? 1 : 2);

/** The beginning of a line that fits into so many columns. */
export function fitColumns(line: string, columns: number): string {
  if (columnsOf(line) <= columns) return line;
  let used = 0;
  let kept = "";
  for (const char of line) {
    used += columnsOf(char);
    if (used > columns - 1) break;
    kept += char;
  }
  return `${kept}…`;
}
