import type { ReactElement } from "react";
import { en } from "../../../text/en.ts";
import { Panel } from "../../../ui/panel.tsx";
import { CommandText } from "../../../ui/commands/command-text.tsx";
import { Time } from "../../../ui/time.tsx";
import { Untrusted } from "../../../ui/untrusted.tsx";
import { WithCode } from "../../../ui/commands/with-code.tsx";
import { runStatus } from "../run-standing.ts";
import type { RunDocument } from "../run-document.ts";

/** What people are asked, and each way out with what it does and the exact command. */
export function NowPress({ run }: { readonly run: RunDocument }): ReactElement | null {
  const { blocked, escalations } = run;
  if (blocked === null && escalations.length === 0) return null;
  return (
    <Panel title={en.run.now.press} className={`now-press now-press-${runStatus(run)}`}>
      <div className="panel-body stack">
        {escalations.map(({ id, detail, owner, since }) => (
          <div key={id} className="stack-tight">
            <span className="muted">
              {owner === "human" ? en.run.now.question : en.run.now.questionOf(owner)}, <Time at={since} />
            </span>
            {detail !== blocked?.detail && <Untrusted text={detail} />}
          </div>
        ))}
        {blocked !== null && <Blocked blocked={blocked} />}
      </div>
    </Panel>
  );
}

function Blocked({ blocked }: { readonly blocked: NonNullable<RunDocument["blocked"]> }): ReactElement {
  const { advice, choices, digest } = blocked;
  return (
    <>
      {advice.map((text) => (
        <p key={text}>
          <WithCode text={text} />
        </p>
      ))}
      {digest !== null && (
        <p className="muted">
          {en.run.now.digest} <code>{digest}</code>
        </p>
      )}
      <dl className="now-choices">
        {choices.map(({ command, does }) => (
          <div key={command}>
            <dt>{does}</dt>
            <dd>
              <CommandText command={command} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
