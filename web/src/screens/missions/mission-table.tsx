import type { ReactElement, ReactNode } from "react";

interface TableProps<Column extends string> {
  readonly label: string;
  /** The heading of each column; the first is that of the row's own heading. */
  readonly columns: Readonly<Record<Column, string>>;
  readonly rows: readonly {
    readonly key: string;
    readonly head: ReactNode;
    readonly cells: { readonly [One in Column]?: ReactNode };
  }[];
}

/** A table of a part of a mission; on a phone each row is a list of its cells. */
export function MissionTable<Column extends string>(props: TableProps<Column>): ReactElement {
  const { label, columns, rows } = props;
  const [, ...others] = Object.keys(columns) as Column[];
  return (
    <table className="table table-top">
      <caption className="visually-hidden">{label}</caption>
      <thead>
        <tr>
          {Object.values<string>(columns).map((heading) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, head, cells }) => (
          <tr key={key}>
            <th scope="row">{head}</th>
            {others.map((column) => (
              <td key={column} data-label={columns[column]}>
                {cells[column]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
