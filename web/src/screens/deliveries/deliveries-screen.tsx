import { useNavigate } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { AnswerOf } from "../../../../src/api/client/client.ts";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import type { Column } from "../../ui/column.ts";
import { DataGrid } from "../../ui/data-grid.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";

const { deliveries: words } = en;
type Delivery = AnswerOf<"listDeliveries">["deliveries"][number];

const MARKS = { waiting: "queued", tried_again: "waiting", given_up: "failed" } as const;

const Mark = ({ state }: Delivery): ReactElement => (
  <StatusMark kind={MARKS[state]} word={words.states[state]} />
);

const COLUMNS: readonly Column<Delivery>[] = [
  { id: "state", label: words.columns.state, width: "120px", cell: Mark },
  {
    id: "run",
    label: words.columns.run,
    width: "minmax(120px, 1fr)",
    cell: ({ run }) => <Untrusted text={run} isLine />,
  },
  {
    id: "channel",
    label: words.columns.channel,
    width: "minmax(80px, 0.7fr)",
    cell: ({ channel }) => <Untrusted text={channel} isLine />,
  },
  {
    id: "tries",
    label: words.columns.tries,
    width: "60px",
    isNumber: true,
    cell: ({ tries }) => String(tries),
  },
  {
    id: "next",
    label: words.columns.next,
    width: "110px",
    cell: ({ nextTry }) => (nextTry === null ? null : <Time at={nextTry} />),
  },
  {
    id: "why",
    label: words.columns.why,
    width: "minmax(160px, 3fr)",
    cell: ({ why }) => (why === null ? null : <Untrusted text={why} isLine />),
  },
];

const PhoneDelivery = (delivery: Delivery): ReactElement => (
  <span className="phone-run">
    <span className="row">
      <Mark {...delivery} />
      <Untrusted text={`${delivery.channel} · ${delivery.run}`} isLine charsMax={80} />
    </span>
    <span className="muted clip">
      <Untrusted text={delivery.why ?? ""} isLine />
    </span>
  </span>
);

/** Notices to people that are under way, and those that never arrived. */
export function DeliveriesScreen(): ReactElement {
  const { data, error, refresh } = useApi("listDeliveries", {});
  const navigate = useNavigate();
  const rows = data?.deliveries;
  return (
    <>
      <h1>{words.title}</h1>
      {error !== null && <Problem error={error} onAgain={refresh} />}
      {rows === undefined && error === null && <Skeleton />}
      {rows?.length === 0 && (
        <EmptyState title={words.none} command={words.command}>
          {words.noneText}
        </EmptyState>
      )}
      {rows !== undefined && rows.length > 0 && (
        <div className="panel">
          <DataGrid
            label={words.list}
            rows={rows}
            columns={COLUMNS}
            keyOf={({ id, channel, run }) => `${run} ${id} ${channel}`}
            onOpen={({ run }) => void navigate({ to: "/runs/$run/$tab", params: { run, tab: "now" } })}
            phoneRow={PhoneDelivery}
          />
        </div>
      )}
    </>
  );
}
