import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { runOf, type InboxItem } from "../../data/documents.ts";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { CommandButton } from "../../ui/commands/command-button.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { WithCode } from "../../ui/commands/with-code.tsx";
import { InboxChanges } from "./inbox-changes.tsx";
import { markOf } from "./inbox-items.ts";
import { reasonText } from "../../ui/reason-text.ts";
import { InboxVerbs } from "./inbox-verbs.tsx";
import type { InboxDetailProps } from "./inbox-props.ts";

/** One item in full: who asks, what exactly, since when, what happens on expiry, and the verbs. */
export function InboxDetail(props: InboxDetailProps): ReactElement {
  const { item } = props;
  const { run, reason, owner, detail, since, digest, proof, advice, work } = item;
  return (
    <section className="inbox-detail panel" aria-label={`${run}: ${reasonText(reason)}`}>
      <header className="stack-tight">
        <div className="row row-wrap">
          <StatusMark kind={markOf(item)} word={reasonText(reason)} />
          <Link to="/runs/$run/$tab" params={{ run, tab: "now" }} className="run-name clip">
            <Untrusted text={run} isLine />
          </Link>
          <span className="grow" />
          <span className="muted">
            {en.inbox.since} <Time at={since} />
            {owner !== "human" && ` · ${owner}`}
          </span>
        </div>
        <Goal item={item} />
      </header>
      <div className={`inbox-what inbox-what-${markOf(item)}`}>
        <Untrusted text={detail} />
      </div>
      {advice !== "" && (
        <p className="muted">
          <WithCode text={advice} />
        </p>
      )}
      <InboxVerbs {...props} />
      <dl className="facts">
        {digest !== null && (
          <>
            <dt>{en.inbox.digest}</dt>
            <dd className="mono">{digest}</dd>
          </>
        )}
        <Expiry item={item} />
        {proof !== undefined && (
          <>
            <dt>{en.inbox.opensWith}</dt>
            <dd>
              <Untrusted text={proof} />
            </dd>
          </>
        )}
      </dl>
      {work !== undefined && work.count > 0 && <InboxChanges run={run} work={work} />}
      <Trouble item={item} />
    </section>
  );
}

function Goal({ item: { run } }: { readonly item: InboxItem }): ReactElement | null {
  const { data } = useApi("getRun", { params: { run } });
  return data === undefined ? null : (
    <p className="muted">
      <Untrusted text={data.goal} isLine />
    </p>
  );
}

function Expiry({ item: { run, gate } }: { readonly item: InboxItem }): ReactElement | null {
  const { data } = useApi("getRun", gate === null ? null : { params: { run } });
  const asked = runOf(data)?.gates.find((one) => one.gate === gate && one.state === "asked");
  if (gate === null || asked === undefined) return null;
  return (
    <>
      <dt>{en.inbox.expires}</dt>
      <dd>
        {asked.expiresAt === null ? (
          en.inbox.noExpiry
        ) : (
          <>
            <Time at={asked.expiresAt} as="until" />; {en.inbox.expiresText}
          </>
        )}
      </dd>
    </>
  );
}

/** What keeps people and agents from hearing of each other. */
function Trouble({ item }: { readonly item: InboxItem }): ReactElement {
  const { run, supervision, undelivered, messages } = item;
  return (
    <>
      {supervision !== undefined && supervision.command !== null && (
        <div className="stack-tight">
          <h3>{en.inbox.supervision}</h3>
          <Untrusted text={supervision.text} />
          <CommandButton run={run} command={supervision.command} />
        </div>
      )}
      {undelivered.length > 0 && (
        <div className="stack-tight">
          <h3>{en.inbox.undelivered}</h3>
          <ul>
            {undelivered.map(({ id, channel, why }) => (
              <li key={`${id} ${channel}`}>
                <Untrusted text={`${channel}: ${why}`} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {messages.length > 0 && (
        <div className="stack-tight">
          <h3>{en.inbox.messages}</h3>
          <ul>
            {messages.map(({ by, since, text }) => (
              <li key={`${by} ${since} ${text}`}>
                <Untrusted text={`${by}: ${text}`} charsMax={600} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
