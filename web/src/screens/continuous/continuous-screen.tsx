import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { moneyText } from "../../ui/money.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { BlockedBy } from "./blocked-by.tsx";
import { countsText, sessionMark, sessionWord, type Session } from "./session-words.ts";

const { continuous: words } = en;

/** Every continuous session: where it stands, what blocks it, and what it has spent. */
export function ContinuousScreen(): ReactElement {
  const { data, error, refresh } = useApi("listContinuous", {});
  return (
    <>
      <h1>{words.title}</h1>
      {error !== null && <Problem error={error} onAgain={refresh} />}
      {data === undefined && error === null && <Skeleton />}
      {data !== undefined && (
        <Panel title={words.list} count={data.sessions.length}>
          {data.sessions.length === 0 && (
            <EmptyState title={words.none} command={words.command}>
              {words.noneText}
            </EmptyState>
          )}
          <ul className="lines">
            {data.sessions.map((session) => (
              <SessionLine key={session.session} session={session} />
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

function SessionLine({ session }: { readonly session: Session }): ReactElement {
  const { session: name, since, intake, counts, budget, blockedBy, text, nextAt } = session;
  const { usd: limit } = budget.limits;
  const facts = [
    countsText(counts),
    limit === undefined ? "" : `${moneyText(budget.spent.usd)} ${words.budget.of} ${moneyText(limit)}`,
  ];
  return (
    <li className="line">
      <div className="row row-wrap">
        <StatusMark kind={sessionMark(session)} word={sessionWord(session)} />
        <Link to="/continuous/$session" params={{ session: name }} className="run-name clip">
          <Untrusted text={name} isLine charsMax={80} />
        </Link>
        <span className="grow muted num">{facts.filter((one) => one !== "").join(" · ")}</span>
        <span className="muted">
          {nextAt === null ? (
            <Time at={since} />
          ) : (
            <>
              {words.next} <Time at={nextAt} as="until" />
            </>
          )}
        </span>
      </div>
      <div className="session-from muted clip">
        {words.from} <Untrusted text={intake} isLine />
      </div>
      {text !== null && <Untrusted text={text} charsMax={300} hasTimes />}
      {blockedBy.length > 0 && <BlockedBy session={session} />}
    </li>
  );
}
