import { useEffect, useRef, type ReactElement } from "react";
import { en } from "../text/en.ts";
import type { Column } from "./column.ts";
import { DataRow } from "./data-row.tsx";
import { useGridKeys, type GridSelection } from "./use-grid-keys.ts";
import { useNarrow } from "./use-media.ts";
import { useWindow } from "./use-window.ts";

interface DataGridProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly onOpen: (row: Row) => void;
  readonly selection?: GridSelection | undefined;
  readonly sort?: string | undefined;
  readonly onSort?: ((sort: string) => void) | undefined;
  readonly phoneRow?: (row: Row) => ReactElement;
  readonly isTall?: boolean;
  /** The end of the rows is near. */
  readonly onEnd?: (() => void) | undefined;
}

const ROW_PX = 33;
const PHONE_ROW_PX = 64;

/** A table of any length: only what is seen is drawn. Arrow keys or j and k move, Enter opens, Space selects. */
export function DataGrid<Row>(props: DataGridProps<Row>): ReactElement {
  const { label, rows, keyOf, onOpen, selection, phoneRow, isTall = true, onEnd } = props;
  const isPhone = useNarrow() && phoneRow !== undefined;
  const rowHeight = isPhone ? PHONE_ROW_PX : ROW_PX;
  const box = useRef<HTMLDivElement>(null);
  const { from, to } = useWindow(box, { rowHeight, count: rows.length });
  const isAtEnd = to >= rows.length;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);
  const keys = useGridKeys({ rows, keyOf, onOpen, selection, box, rowHeight });
  const shown = shownRows({ from, to, active: keys.active, count: rows.length });
  const columns = isPhone && phoneRow !== undefined ? [phoneColumn(label, phoneRow)] : props.columns;
  const template = [...(selection === undefined ? [] : ["32px"]), ...columns.map(({ width }) => width)].join(
    " ",
  );
  return (
    <div
      className={`grid ${isPhone ? "grid-phone" : ""}`}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-multiselectable={selection !== undefined}
      onKeyDown={keys.onKeyDown}
    >
      <GridHead {...props} columns={columns} template={template} />
      <div className={isTall ? "grid-body grid-tall" : "grid-body"} ref={box} role="rowgroup">
        <div className="grid-space" role="presentation" style={{ height: rows.length * rowHeight }}>
          {shown.map((at) => {
            const row = rows[at];
            return row === undefined ? null : (
              <DataRow
                key={keyOf(row)}
                at={at}
                row={row}
                columns={columns}
                template={template}
                rowHeight={rowHeight}
                isActive={keys.active === at}
                selected={selection === undefined ? null : selection.selected.has(keyOf(row))}
                onOpen={onOpen}
                onActive={keys.activate}
                onSelect={() => selection?.toggle(keyOf(row))}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

const phoneColumn = <Row,>(label: string, cell: (row: Row) => ReactElement): Column<Row> => ({
  id: "phone",
  label,
  width: "minmax(0, 1fr)",
  cell,
});

interface Shown {
  readonly from: number;
  readonly to: number;
  readonly active: number;
  readonly count: number;
}

/** The row that has the focus is always there, so that the focus is never lost by scrolling. */
function shownRows({ from, to, active, count }: Shown): number[] {
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
  if (active >= count || (active >= from && active < to)) return rows;
  return active < from ? [active, ...rows] : [...rows, active];
}

function GridHead<Row>(props: DataGridProps<Row> & { readonly template: string }): ReactElement {
  const { columns, template, selection, rows, keyOf, sort, onSort } = props;
  const isAll =
    selection !== undefined && rows.length > 0 && rows.every((row) => selection.selected.has(keyOf(row)));
  return (
    <div className="grid-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
      {selection !== undefined && (
        <span role="columnheader" className="cell cell-select">
          <input
            type="checkbox"
            aria-label={en.grid.selectAll}
            checked={isAll}
            onChange={() => selection.set(isAll ? [] : rows.map(keyOf))}
          />
        </span>
      )}
      {columns.map(({ id, label, sort: by, isNumber = false }) => (
        <span
          key={id}
          role="columnheader"
          className={`cell ${isNumber ? "cell-number" : ""}`}
          aria-sort={by !== undefined && by === sort ? "descending" : undefined}
        >
          {by === undefined || onSort === undefined ? (
            <span className="clip">{label}</span>
          ) : (
            <button
              type="button"
              className="sort"
              aria-label={en.grid.sortBy(label)}
              onClick={() => onSort(by)}
            >
              {label}
              <span aria-hidden="true">{by === sort ? " ↓" : ""}</span>
            </button>
          )}
        </span>
      ))}
    </div>
  );
}
