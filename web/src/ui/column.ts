import type { ReactElement } from "react";

/** One column of a grid. */
export interface Column<Row> {
  readonly id: string;
  readonly label: string;
  /** As in `grid-template-columns`. */
  readonly width: string;
  readonly cell: (row: Row) => ReactElement | string | null;
  /** What sorting by this column is called; absent where it cannot be sorted by. */
  readonly sort?: string;
  readonly isNumber?: boolean;
  /** Shown although there is little room. */
  readonly isOnPhone?: boolean;
}
