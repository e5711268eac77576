import { Link } from "@tanstack/react-router";
import { useState, type ReactElement, type ReactNode } from "react";
import { useApi } from "../../../data/use-query.ts";
import { en } from "../../../text/en.ts";
import { Panel } from "../../../ui/panel.tsx";
import { Skeleton } from "../../../ui/skeleton.tsx";
import { Time } from "../../../ui/time.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";
import { eventText } from "../journal/event-text.ts";
import { checkpointOf, CheckpointVerbs, RestoreHere } from "./checkpoint-verbs.tsx";
import { explain, type Explained, type JournalEvent } from "./explain.ts";

const BEFORE = 80;
const SPAN = 600;

/** Evidence, decision, effect and result of what is chosen, each as its event with its hash. */
export function Inspector(props: {
  readonly run: string;
  readonly seq: number | null;
  readonly head: number;
}): ReactElement {
  const { run, seq, head } = props;
  const { inspector } = en.run.timeline;
  const [restoring, restore] = useState<string | null>(null);
  const after = seq === null ? 0 : Math.max(0, seq - BEFORE);
  const isAll = after + SPAN < head;
  const { data } = useApi(
    "listEvents",
    seq === null ? null : { params: { run }, query: { after, limit: SPAN } },
    isAll ? { kind: "nothing" } : { kind: "run", run },
  );
  if (seq === null)
    return (
      <Panel title={inspector.title} className="inspector">
        <p className="panel-body muted">{inspector.none}</p>
      </Panel>
    );
  const found = data === undefined ? null : explain(data.events, seq);
  const checkpoint = checkpointOf(found?.decision ?? null);
  return (
    <>
      <Panel
        title={inspector.title}
        className="inspector"
        actions={
          <span className="row small">
            <To run={run} tab="journal" text={inspector.inJournal} />
            <To run={run} tab="conversation" text={inspector.inConversation} />
          </span>
        }
      >
        {found === null ? (
          <Skeleton />
        ) : (
          <Parts found={found}>
            {checkpoint !== null && (
              <CheckpointVerbs run={run} checkpoint={checkpoint} onRestore={() => restore(checkpoint)} />
            )}
          </Parts>
        )}
      </Panel>
      {checkpoint !== null && restoring === checkpoint && (
        <RestoreHere key={checkpoint} run={run} checkpoint={checkpoint} onClose={() => restore(null)} />
      )}
    </>
  );
}

function Parts(props: { readonly found: Explained; readonly children: ReactNode }): ReactElement {
  const { inspector } = en.run.timeline;
  const { evidence, decision, effects, result } = props.found;
  return (
    <ol className="inspector-parts">
      <Part title={inspector.evidence} events={evidence} none={inspector.noEvidence} />
      <Part title={inspector.decision} events={decision === null ? [] : [decision]} none="–">
        {props.children}
      </Part>
      <Part title={inspector.effect} events={effects} none={inspector.noEffect} />
      <Part title={inspector.result} events={result === null ? [] : [result]} none={inspector.noResult} />
    </ol>
  );
}

const To = ({
  run,
  tab,
  text,
}: {
  readonly run: string;
  readonly tab: string;
  readonly text: string;
}): ReactElement => (
  <Link to="/runs/$run/$tab" params={{ run, tab }} search={(before) => before}>
    {text}
  </Link>
);

interface PartProps {
  readonly title: string;
  readonly events: readonly JournalEvent[];
  readonly none: string;
  readonly children?: ReactNode;
}

function Part({ title, events, none, children }: PartProps): ReactElement {
  return (
    <li className="inspector-part">
      <h3>{title}</h3>
      {events.length === 0 && <p className="muted">{none}</p>}
      {events.map((event) => (
        <div key={event.seq} className="stack-tight">
          <span className="muted small">
            <span className="num">{event.seq}</span> <code>{event.type}</code>{" "}
            <Time at={event.at} as="clock" />{" "}
            <code title={`${en.run.why.evidence}: ${event.hash}`}>✓ {event.hash.slice(0, 8)}</code>
          </span>
          <Untrusted text={eventText(event)} charsMax={700} />
        </div>
      ))}
      {children}
    </li>
  );
}
