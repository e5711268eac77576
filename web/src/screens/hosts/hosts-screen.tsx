import type { ReactElement } from "react";
import { commandText } from "../../../../src/model/text/command-text.ts";
import { hostsOf, type Host } from "../../data/documents.ts";
import { useAct } from "../../data/use-act.ts";
import { useApi } from "../../data/use-query.ts";
import { useStoreName } from "../../data/use-store-name.ts";
import { en } from "../../text/en.ts";
import { ActionButton } from "../../ui/commands/action-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { sizeText } from "../../ui/money.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import type { StatusKind } from "../../ui/status-of.ts";
import { spanText } from "../../ui/time-text.ts";
import { Untrusted } from "../../ui/untrusted.tsx";

const { hosts: words } = en;
const MARKS: Readonly<Record<Host["state"], StatusKind>> = {
  joining: "queued",
  up: "running",
  draining: "waiting",
  down: "failed",
};

/** The hosts that share the store: how each stands, what it works, and letting it take no new runs. */
export function HostsScreen(): ReactElement {
  const { data, error, refresh } = useApi("listFleet", {});
  const hosts = hostsOf(data);
  return (
    <>
      <h1>{words.title}</h1>
      {error !== null && <Problem error={error} onAgain={refresh} />}
      {hosts === undefined && error === null && <Skeleton />}
      {hosts?.length === 0 && (
        <EmptyState title={words.none} command={words.command}>
          {words.noneText}
        </EmptyState>
      )}
      {hosts !== undefined && hosts.length > 0 && <HostTable hosts={hosts} />}
    </>
  );
}

const COLUMNS = ["host", "state", "runs", "version", "memory", "disk", "agents", "seen"] as const;

const HostTable = ({ hosts }: { readonly hosts: readonly Host[] }): ReactElement => (
  <div className="panel">
    <table className="table">
      <caption className="visually-hidden">{words.list}</caption>
      <thead>
        <tr>
          {COLUMNS.map((column) => (
            <th key={column} scope="col">
              {words.columns[column]}
            </th>
          ))}
          <td />
        </tr>
      </thead>
      <tbody>
        {hosts.map((host) => (
          <HostRow key={host.id} host={host} />
        ))}
      </tbody>
    </table>
  </div>
);

function HostRow({ host }: { readonly host: Host }): ReactElement {
  const { name, state, drainedBy, runs, slots, version, agents, freeMemoryBytes, freeDiskBytes, silentMs } =
    host;
  const cells: Readonly<Record<Exclude<(typeof COLUMNS)[number], "host">, ReactElement | string>> = {
    state: (
      <span className="stack-tight">
        <StatusMark kind={MARKS[state]} word={words.states[state]} />
        {drainedBy !== null && (
          <span className="muted small">
            <Untrusted text={words.by(drainedBy)} isLine charsMax={60} />
          </span>
        )}
      </span>
    ),
    runs: words.runs(runs, slots),
    version,
    memory: sizeText(freeMemoryBytes),
    disk: freeDiskBytes === null ? words.unknown : sizeText(freeDiskBytes),
    agents: <Untrusted text={agents.join(", ")} charsMax={200} />,
    seen: words.seen(spanText(silentMs)),
  };
  return (
    <tr>
      <th scope="row">
        <Untrusted text={name} isLine charsMax={80} />
      </th>
      {COLUMNS.filter((column) => column !== "host").map((column) => (
        <td key={column} className="num" data-label={words.columns[column]}>
          {cells[column]}
        </td>
      ))}
      <td>
        <DrainButton host={host} />
      </td>
    </tr>
  );
}

function DrainButton({ host: { id, name, drainedBy } }: { readonly host: Host }): ReactElement {
  const { isAsking, ask } = useAct();
  const undo = drainedBy !== null;
  const command = commandText(["drain", name, ...(undo ? ["--undo"] : [])], useStoreName());
  const body = undo ? { host: id, undo } : { host: id };
  return (
    <ActionButton
      command={command}
      isBusy={isAsking}
      onPress={() => void ask({ route: "drainHost", input: { body }, command, title: `drain ${name}` })}
    >
      {undo ? words.undo : words.drain}
      <span className="visually-hidden"> {words.of(name)}</span>
    </ActionButton>
  );
}
