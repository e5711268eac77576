import { useState, type ReactElement } from "react";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import type { Column } from "../../ui/column.ts";
import { DataGrid } from "../../ui/data-grid.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";

const { doctor: words } = en;

interface Origin {
  readonly key: string;
  readonly value: unknown;
  readonly file: string | null;
}

const COLUMNS: readonly Column<Origin>[] = [
  {
    id: "key",
    label: words.columns.key,
    width: "minmax(160px, 1fr)",
    cell: ({ key }) => <Untrusted text={key} isLine isMono />,
  },
  {
    id: "value",
    label: words.columns.value,
    width: "minmax(120px, 1.2fr)",
    cell: ({ value }) => <Untrusted text={JSON.stringify(value)} isLine isMono />,
  },
  {
    id: "from",
    label: words.columns.from,
    width: "minmax(120px, 1fr)",
    cell: ({ file }) =>
      file === null ? <span className="muted">{words.default}</span> : <Untrusted text={file} isLine />,
  },
];

const PhoneSetting = ({ key, value, file }: Origin): ReactElement => (
  <span className="phone-run">
    <Untrusted text={key} isLine isMono />
    <span className="row muted">
      <Untrusted text={JSON.stringify(value)} isLine isMono />
      <span className="grow" />
      <span className="clip">{file === null ? words.default : <Untrusted text={file} isLine />}</span>
    </span>
  </span>
);

/** Every setting, its value, and the file that it comes from. */
export function ConfigPart(): ReactElement {
  const { data, error, refresh } = useApi("getConfig", {}, { kind: "nothing" });
  const [words_, setWords] = useState("");
  if (data === undefined) return error === null ? <Skeleton /> : <Problem error={error} onAgain={refresh} />;
  const { origins = [] } = data as { readonly origins?: readonly Origin[] };
  const wanted = words_.trim().toLowerCase();
  const rows = origins.filter(({ key, file }) => `${key} ${file ?? ""}`.toLowerCase().includes(wanted));
  return (
    <>
      <label className="choice">
        <span className="muted small">{words.filter}</span>
        <input
          type="search"
          className="input input-wide"
          value={words_}
          onChange={({ target }) => setWords(target.value)}
        />
      </label>
      {rows.length === 0 ? (
        <EmptyState title={words.noSetting} />
      ) : (
        <div className="panel">
          <DataGrid
            label={words.config}
            rows={rows}
            columns={COLUMNS}
            keyOf={({ key }) => key}
            onOpen={() => undefined}
            phoneRow={PhoneSetting}
          />
        </div>
      )}
    </>
  );
}
