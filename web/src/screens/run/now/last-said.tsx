import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useApi } from "../../../data/use-query.ts";
import { en } from "../../../text/en.ts";
import { Panel } from "../../../ui/panel.tsx";
import { SaidEntry } from "../conversation/said-entry.tsx";
import type { RunDocument } from "../run-document.ts";

const SHOWN = 8;
const EVENTS = 120;

/** The end of the conversation. */
export function LastSaid({ run }: { readonly run: RunDocument }): ReactElement | null {
  const { data } = useApi("getTranscript", { params: { run: run.run }, query: { limit: EVENTS } });
  const last = (data?.transcript ?? []).slice(-SHOWN);
  if (last.length === 0) return null;
  return (
    <Panel
      title={en.run.now.last}
      actions={
        <Link to="/runs/$run/$tab" params={{ run: run.run, tab: "conversation" }}>
          {en.run.tabs.conversation}
        </Link>
      }
    >
      <div className="said">
        {last.map((entry, at) => (
          <SaidEntry
            key={`${String(entry.seq)} ${String(at)}`}
            entry={entry}
            isChosen={false}
            charsMax={400}
          />
        ))}
      </div>
    </Panel>
  );
}
