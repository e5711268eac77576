import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { ListedRun } from "../../data/documents.ts";
import { en } from "../../text/en.ts";
import type { Column } from "../../ui/column.ts";
import { Money } from "../../ui/money.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { statusOf, type StatusKind } from "../../ui/status-of.ts";
import { reasonText } from "../../ui/reason-text.ts";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";

const { columns } = en.runs;

const kindOf = ({ status, waitsFor, supervision, isUnverified }: ListedRun): StatusKind =>
  statusOf({
    status,
    end: isUnverified === true ? "unverified" : null,
    health: waitsFor === null ? undefined : "waiting",
    supervision: supervision?.command === null ? null : supervision?.state,
  });
const Mark = ({ row }: { readonly row: ListedRun }): ReactElement => <StatusMark kind={kindOf(row)} />;

const Name = ({ run }: ListedRun): ReactElement => (
  <Link to="/runs/$run/$tab" params={{ run, tab: "now" }} className="run-name clip" tabIndex={-1}>
    <Untrusted text={run} isLine />
  </Link>
);

export const waitText = (waitsFor: string | null): string =>
  waitsFor === null ? "" : (en.runs.waitWords[waitsFor as keyof typeof en.runs.waitWords] ?? waitsFor);

function Waits({ waitsFor, until, blockedBy }: ListedRun): ReactElement | null {
  if (waitsFor === null) return null;
  return (
    <span className="clip">
      {blockedBy === null ? waitText(waitsFor) : reasonText(blockedBy)}
      {until !== null && (
        <>
          , <Time at={until} as="clock" />
        </>
      )}
    </span>
  );
}

export const folderName = (folder: string | null): string =>
  folder === null ? "" : (folder.split(/[/\\]/).findLast((part) => part !== "") ?? folder);

export const RUN_COLUMNS: readonly Column<ListedRun>[] = [
  { id: "status", label: columns.status, width: "152px", sort: "status", cell: (row) => <Mark row={row} /> },
  { id: "run", label: columns.run, width: "minmax(120px, 1.2fr)", cell: Name },
  {
    id: "goal",
    label: columns.goal,
    width: "minmax(120px, 2fr)",
    cell: ({ goal }) => <Untrusted text={goal} isLine />,
  },
  { id: "waits", label: columns.waits, width: "minmax(90px, 1fr)", cell: (row) => <Waits {...row} /> },
  {
    id: "step",
    label: columns.step,
    width: "minmax(60px, 0.7fr)",
    cell: ({ step }) => (step === null ? null : <Untrusted text={step} isLine />),
  },
  {
    id: "agents",
    label: columns.agents,
    width: "minmax(60px, 0.7fr)",
    cell: ({ agents }) => <Untrusted text={agents.join(", ")} isLine />,
  },
  {
    id: "repository",
    label: columns.repository,
    width: "minmax(60px, 0.7fr)",
    cell: ({ repository }) => (
      <span className="clip" title={repository ?? undefined}>
        <Untrusted text={folderName(repository)} isLine />
      </span>
    ),
  },
  {
    id: "usd",
    label: columns.usd,
    width: "76px",
    sort: "usd",
    isNumber: true,
    cell: ({ usd }) => <Money usd={usd} />,
  },
  {
    id: "updated",
    label: columns.updated,
    width: "108px",
    sort: "updated",
    isNumber: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];

/** The same on two lines. */
export const PhoneRun = (row: ListedRun): ReactElement => (
  <span className="phone-run">
    <span className="row">
      <StatusMark kind={kindOf(row)} isShort />
      <Name {...row} />
      <span className="grow" />
      <span className="muted">
        <Time at={row.updatedAt} />
      </span>
    </span>
    <span className="muted clip">
      <strong className={`status-${kindOf(row)}`}>{en.status[kindOf(row)]}</strong>{" "}
      <Untrusted text={row.goal} isLine charsMax={120} />
    </span>
  </span>
);
