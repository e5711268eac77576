import type { MouseEvent, ReactElement } from "react";
import { en } from "../text/en.ts";
import type { Column } from "./column.ts";

interface DataRowProps<Row> {
  readonly at: number;
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly template: string;
  readonly rowHeight: number;
  readonly isActive: boolean;
  /** Null where rows are not selected. */
  readonly selected: boolean | null;
  readonly onOpen: (row: Row) => void;
  readonly onActive: (at: number) => void;
  readonly onSelect: () => void;
}

export function DataRow<Row>(props: DataRowProps<Row>): ReactElement {
  const { at, row, columns, template, rowHeight, isActive, selected, onOpen, onActive, onSelect } = props;
  const press = ({ target, detail }: MouseEvent): void => {
    if ((target as Element).closest("a, button, input") !== null) return;
    // Text that is being selected is not meant to open anything.
    if (detail === 1 && (globalThis.getSelection()?.toString() ?? "") === "") onOpen(row);
  };
  return (
    <div
      className={`grid-row ${selected === true ? "grid-row-selected" : ""}`}
      role="row"
      aria-rowindex={at + 2}
      aria-selected={selected ?? undefined}
      tabIndex={isActive ? 0 : -1}
      data-row={at}
      style={{ gridTemplateColumns: template, height: rowHeight, top: at * rowHeight }}
      onFocus={() => onActive(at)}
      onClick={press}
    >
      {selected !== null && (
        <span role="gridcell" className="cell cell-select">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={en.grid.select}
            checked={selected}
            onChange={onSelect}
          />
        </span>
      )}
      {columns.map(({ id, cell, isNumber = false }) => (
        <span key={id} role="gridcell" className={`cell ${isNumber ? "cell-number" : ""}`}>
          {cell(row)}
        </span>
      ))}
    </div>
  );
}
