import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useApi } from "../../../data/use-query.ts";
import { en } from "../../../text/en.ts";
import { Panel } from "../../../ui/panel.tsx";
import { Time } from "../../../ui/time.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";

/** One event as it was recorded, with its hash. */
export function EventDetail({
  run,
  seq,
}: {
  readonly run: string;
  readonly seq: number | null;
}): ReactElement | null {
  const input = seq === null ? null : { params: { run }, query: { after: seq - 1, limit: 1 } };
  const { data } = useApi("listEvents", input, { kind: "nothing" });
  const event = data?.events[0];
  if (seq === null || event === undefined) return null;
  return (
    <Panel
      title={`${en.run.journal.goTo} ${String(seq)}`}
      className="event-detail"
      actions={
        <span className="row small">
          <Link to="/runs/$run/$tab" params={{ run, tab: "timeline" }} search={(before) => before}>
            {en.run.tabs.timeline}
          </Link>
          <Link to="/runs/$run/$tab" params={{ run, tab: "why" }} search={(before) => before}>
            {en.run.tabs.why}
          </Link>
        </span>
      }
    >
      <div className="panel-body stack">
        <span className="row row-wrap">
          <code>{event.type}</code>
          <Time at={event.at} /> <Time at={event.at} as="clock" />
        </span>
        <p className="small hash">
          <span className="status-done">✓</span> {en.run.journal.hash} <code>{event.hash}</code>
        </p>
        <Untrusted text={JSON.stringify(event.data, null, 2) ?? "null"} isMono charsMax={6_000} />
      </div>
    </Panel>
  );
}
