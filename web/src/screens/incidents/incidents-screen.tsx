import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { AnswerOf } from "../../../../src/api/client/client.ts";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { CommandButton } from "../../ui/commands/command-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import type { StatusKind } from "../../ui/status-of.ts";
import { Time } from "../../ui/time.tsx";
import { incidentText } from "./incident-text.ts";
import { Untrusted } from "../../ui/untrusted.tsx";

const { incidents: words } = en;
type Answer = AnswerOf<"listIncidents">;
type Shared = Answer["shared"][number];

const MARKS: Readonly<Record<Shared["state"], StatusKind>> = {
  fine: "done",
  paused: "waiting",
  trying: "waiting",
  open: "degraded",
};
const TROUBLES_SHOWN = 5;
const WAITING_SHOWN = 8;

/** Accounts, hosts and repositories: which are in trouble, since when, who waits, and what ends it. */
export function IncidentsScreen(): ReactElement {
  const { data, error, refresh } = useApi("listIncidents", {});
  return (
    <>
      <h1>{words.title}</h1>
      {error !== null && <Problem error={error} onAgain={refresh} />}
      {data === undefined ? error === null && <Skeleton /> : <Lists answer={data} />}
    </>
  );
}

function Lists({ answer: { incidents, shared } }: { readonly answer: Answer }): ReactElement {
  return (
    <>
      <Panel title={words.now} count={incidents.length}>
        {incidents.length === 0 && <EmptyState isSmall title={words.none} />}
        <ul>
          {incidents.map(({ ground, text, command }) => (
            <li key={ground} className="line line-act">
              <div className="line-what grow">
                <Untrusted text={incidentText(text, command)} charsMax={600} hasTimes />
              </div>
              {typeof command === "string" && <CommandButton run={null} command={command} tone="main" />}
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title={words.shared} count={shared.length}>
        {shared.length === 0 && (
          <EmptyState title={words.nothingShared} command={words.command}>
            {words.nothingSharedText}
          </EmptyState>
        )}
        <ul>
          {shared.map((one) => (
            <SharedItem key={one.ground} shared={one} />
          ))}
        </ul>
      </Panel>
    </>
  );
}

function SharedItem({ shared }: { readonly shared: Shared }): ReactElement {
  const { kind, name, state, heardAt, failures, troubles, incident, waiting } = shared;
  return (
    <li className="line">
      <div className="row row-wrap">
        <StatusMark kind={MARKS[state]} word={words.states[state]} />
        <strong className="clip">
          <Untrusted text={`${kind} ${name}`} isLine />
        </strong>
        <span className="grow" />
        {failures > 0 && <span>{words.failures(failures)}</span>}
        <span className="muted">
          {words.heard} <Time at={heardAt} />
        </span>
      </div>
      {incident !== null && (
        <div>
          <Untrusted text={incident.text} charsMax={600} hasTimes />
          <span className="muted">
            {words.since} <Time at={incident.since} />
          </span>
        </div>
      )}
      {waiting.length > 0 && (
        <div className="row row-wrap">
          <span className="status-waiting">{words.waiting(waiting.length)}:</span>
          {waiting.slice(0, WAITING_SHOWN).map(({ run, until }) => (
            <span key={run}>
              <Link to="/runs/$run/$tab" params={{ run, tab: "now" }}>
                <Untrusted text={run} isLine charsMax={60} />
              </Link>
              {until !== null && (
                <span className="muted">
                  {" "}
                  {words.resumes} <Time at={until} as="until" />
                </span>
              )}
            </span>
          ))}
          {waiting.length > WAITING_SHOWN && (
            <span className="muted">{words.more(waiting.length - WAITING_SHOWN)}</span>
          )}
        </div>
      )}
      {state !== "fine" && troubles.length > 0 && (
        <ul className="muted small">
          {troubles.slice(-TROUBLES_SHOWN).map(({ at, kind: what, attempt }) => (
            <li key={`${at} ${attempt} ${what}`}>
              <Time at={at} /> · <Untrusted text={`${what}, ${attempt}`} isLine />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
