import type { ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { CommandText } from "../../../ui/commands/command-text.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { reasonText } from "../../../ui/reason-text.ts";
import { spanText } from "../../../ui/time-text.ts";
import { Time } from "../../../ui/time.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";
import { STATUS_SHAPES } from "../../../ui/status-of.ts";
import { incidentText } from "../../incidents/incident-text.ts";
import { runStatus } from "../run-standing.ts";
import type { RunDocument } from "../run-document.ts";

/** What the run waits for, until when, and who sees to it. */
export function NowWaits({ run }: { readonly run: RunDocument }): ReactElement {
  const { health, shared, alarms, supervision, limits } = run;
  const { waitsFor, until } = health;
  const isEnded = ["completed", "failed", "cancelled"].includes(run.status);
  const isWaiting = waitsFor !== undefined || run.blocked !== null || shared.length > 0;
  return (
    <Panel title={en.run.now.waits}>
      <ul className="now-list">
        {!isWaiting && alarms.length === 0 && (
          <li className="muted">{isEnded ? en.run.now.hasEnded : en.run.now.noWait}</li>
        )}
        {waitsFor !== undefined && (
          <li className="row row-wrap status-waiting">
            <span aria-hidden="true">◷</span> {waitsFor}
            {until !== undefined && (
              <span>
                {en.run.now.until} <Time at={until} as="until" />
              </span>
            )}
          </li>
        )}
        {run.blocked !== null && (
          <li className={`row row-wrap status-${runStatus(run)}`}>
            <span aria-hidden="true">{STATUS_SHAPES[runStatus(run)]}</span>
            <span title={run.blocked.reason}>{reasonText(run.blocked.reason)}</span>{" "}
            {run.blocked.owner !== "human" && <span className="muted">{run.blocked.owner}</span>}
          </li>
        )}
        {shared.map(({ ground, text, command }) => (
          <li key={ground} className="stack-tight">
            <Untrusted text={incidentText(text, command)} hasTimes />
            {command !== null && <CommandText command={command} />}
          </li>
        ))}
        {alarms.map(({ id, at, note }) => (
          <li key={id} className="row row-wrap">
            <span aria-hidden="true">◷</span> <Time at={at} as="until" /> <Untrusted text={note} isLine />
          </li>
        ))}
        {limits.map(({ of, usedMs, limitMs, pressed }) => (
          <li key={of} className={pressed ? "status-waiting" : "muted"}>
            {of}: {spanText(usedMs)} {en.run.now.ofAtMost} {spanText(limitMs)}
          </li>
        ))}
        {supervision !== null && supervision !== undefined && (
          <li className="stack-tight">
            <div className={`row ${supervision.state === "none" ? "status-unsupervised" : "muted"}`}>
              {supervision.state === "none" && <span aria-hidden="true">○</span>}
              <Untrusted text={supervision.text} hasTimes />
            </div>
            {supervision.command !== null && <CommandText command={supervision.command} />}
          </li>
        )}
      </ul>
    </Panel>
  );
}
