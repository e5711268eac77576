import { Link, useParams } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { Panel } from "../../ui/panel.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { BlockedBy } from "./blocked-by.tsx";
import { SessionBudget } from "./session-budget.tsx";
import { SessionGoals } from "./session-goals.tsx";
import { SessionVerbs } from "./session-verbs.tsx";
import { sessionMark, sessionWord, type SessionInFull } from "./session-words.ts";

const { continuous: words } = en;

/** One continuous session: what blocks it, what it has spent and has left, and its goals. */
export function SessionScreen(): ReactElement {
  const { session = "" } = useParams({ strict: false });
  const { data, error, refresh } = useApi("getContinuous", { params: { session } });
  if (data === undefined) return error === null ? <Skeleton /> : <Problem error={error} onAgain={refresh} />;
  const { blockedBy, problems, text } = data;
  return (
    <div className="session">
      <SessionHead session={data} />
      {text !== null && (
        <Panel title={words.ended}>
          <div className="panel-body">
            <Untrusted text={text} charsMax={2_000} hasTimes />
          </div>
        </Panel>
      )}
      <div className="session-parts">
        <div className="stack">
          {blockedBy.length > 0 && (
            <Panel title={words.blockedBy} count={blockedBy.length} className="now-press">
              <div className="panel-body">
                <BlockedBy session={data} />
              </div>
            </Panel>
          )}
          {problems.length > 0 && <Problems problems={problems} />}
          <SessionGoals session={data} />
        </div>
        <SessionBudget session={data} />
      </div>
    </div>
  );
}

function SessionHead({ session }: { readonly session: SessionInFull }): ReactElement {
  const { session: name, since, by, intake, nextAt, left, pausedBy, stoppedBy } = session;
  return (
    <header className="run-head">
      <div className="run-title">
        <h1 className="clip">
          <Untrusted text={name} isLine />
        </h1>
        <StatusMark kind={sessionMark(session)} word={sessionWord(session)} />
        <span className="muted">
          {words.since} <Time at={since} as="clock" /> {words.by}{" "}
          <Untrusted text={stoppedBy ?? pausedBy ?? by} isLine charsMax={60} />
        </span>
        <span className="grow" />
        <Link to="/continuous">{words.back}</Link>
      </div>
      <p className="session-from muted clip">
        {words.from} <Untrusted text={intake} isLine />
      </p>
      <p className="muted num">
        {words.goalsLeft(left.length)}
        {nextAt !== null && (
          <>
            {" "}
            · {words.next} <Time at={nextAt} as="until" />
          </>
        )}
      </p>
      <SessionVerbs session={session} />
    </header>
  );
}

const Problems = ({ problems }: { readonly problems: readonly string[] }): ReactElement => (
  <Panel title={words.problems} count={problems.length}>
    <ul className="lines">
      {problems.map((problem) => (
        <li key={problem} className="line">
          <Untrusted text={problem} charsMax={600} />
        </li>
      ))}
    </ul>
  </Panel>
);
