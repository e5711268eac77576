import type { ReactElement } from "react";
import { useApi } from "../../../data/use-query.ts";
import { en } from "../../../text/en.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Panel } from "../../../ui/panel.tsx";
import { Time } from "../../../ui/time.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";
import type { RunDocument } from "../run-document.ts";
import { LastSaid } from "./last-said.tsx";
import { NowHealth } from "./now-health.tsx";
import { NowPress } from "./now-press.tsx";
import { NowWaits } from "./now-waits.tsx";

/** What the run does, what it waits for and until when, and what can be pressed. */
export function NowTab({ run }: { readonly run: RunDocument }): ReactElement {
  return (
    <div className="now-columns">
      <div className="stack">
        <NowPress run={run} />
        <NowWork run={run} />
        <LastSaid run={run} />
        <Result run={run} />
      </div>
      <div className="stack">
        <NowWaits run={run} />
        <NowHealth run={run} />
        <Notes run={run} />
      </div>
    </div>
  );
}

function NowWork({ run }: { readonly run: RunDocument }): ReactElement {
  const { data } = useApi("listAttempts", { params: { run: run.run }, query: { limit: 200 } });
  const live = (data?.attempts ?? []).filter(({ endedAt }) => endedAt === null);
  const done = run.steps.filter(({ status }) => status === "succeeded" || status === "skipped").length;
  return (
    <Panel
      title={en.run.now.title}
      actions={
        <span className="muted num">
          {run.steps.length === 0 ? "" : en.run.now.stepsDone(done, run.steps.length)}
        </span>
      }
    >
      {live.length === 0 ? (
        <EmptyState title={en.run.now.nothing} isSmall />
      ) : (
        <ul className="now-list">
          {live.map(({ attempt, agent, startedAt }) => (
            <li key={attempt} className="row row-wrap">
              <span className="status-running" aria-hidden="true">
                ●
              </span>
              <Untrusted text={attempt} isLine isMono />
              <Untrusted text={agent ?? ""} isLine />
              <span className="muted">
                <Time at={startedAt} as="since" />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Result({ run }: { readonly run: RunDocument }): ReactElement | null {
  const { result, failure } = run;
  if (failure === null && (result === null || result === undefined)) return null;
  const text = failure ?? (typeof result === "string" ? result : JSON.stringify(result, null, 2));
  return (
    <Panel title={en.run.now.result}>
      <div className="panel-body">
        <Untrusted text={text} />
      </div>
    </Panel>
  );
}

function Notes({ run }: { readonly run: RunDocument }): ReactElement | null {
  if (run.notes.length === 0) return null;
  return (
    <Panel title={en.run.now.notes}>
      <ul className="now-list">
        {run.notes.map(({ step, attempt, at, done, next, questions }) => (
          <li key={step} className="stack-tight">
            <span className="muted">
              <Untrusted text={attempt} isLine isMono /> <Time at={at} />
            </span>
            {[done, next, questions].map((text) => text !== null && <Untrusted key={text} text={text} />)}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
