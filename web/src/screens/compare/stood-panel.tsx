import type { ReactElement } from "react";
import type { RunDocument } from "../../data/documents.ts";
import { en } from "../../text/en.ts";
import { Panel } from "../../ui/panel.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { statusOf } from "../../ui/status-of.ts";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";

const MARKS = { succeeded: "done", failed: "failed", running: "running" } as const;

/** A run at one moment, in short. */
export function StoodPanel({ view }: { readonly view: RunDocument }): ReactElement {
  const { run, goal, status, health, blocked, steps, updatedAt } = view;
  return (
    <Panel title={en.compare.stood}>
      <div className="panel-body stack">
        <div className="row row-wrap">
          <StatusMark kind={statusOf({ status, health: health.state })} />
          <strong>
            <Untrusted text={run} isLine charsMax={100} />
          </strong>
          <span className="muted">
            <Time at={updatedAt} />
          </span>
        </div>
        <Untrusted text={goal} charsMax={600} />
        {blocked !== null && <Untrusted text={`${blocked.reason}: ${blocked.detail}`} charsMax={1_000} />}
        {health.evidence.length > 0 && (
          <ul className="muted">
            {health.evidence.map((line) => (
              <li key={line}>
                <Untrusted text={line} charsMax={400} />
              </li>
            ))}
          </ul>
        )}
        <ul>
          {steps.map(({ name, status: of, attempts, agent, lastFailure }) => (
            <li key={name} className="row row-wrap">
              <StatusMark kind={MARKS[of as keyof typeof MARKS] ?? "queued"} word={of} />
              <Untrusted text={name} isLine charsMax={80} />
              <span className="muted">
                {agent} #{attempts}
              </span>
              {lastFailure !== null && (
                <span className="muted clip">
                  <Untrusted text={lastFailure} isLine charsMax={160} />
                </span>
              )}
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}
