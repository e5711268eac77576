import type { ReactElement } from "react";
import { en } from "../../text/en.ts";
import { CommandButtons } from "../../ui/commands/command-buttons.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import type { RunDocument } from "./run-document.ts";
import { codeText, reasonText } from "../../ui/reason-text.ts";
import { headChoices } from "./run-choices.ts";
import { StateButtons } from "./state-buttons.tsx";
import { troubleOf } from "../../ui/status-of.ts";
import { runStatus } from "./run-standing.ts";

/** Which run, how it stands and since when, where it works, and what can be pressed. */
export function RunHead({ run }: { readonly run: RunDocument }): ReactElement {
  const { blocked, workspace } = run;
  const { pattern } = run.health;
  const isEnded = ["completed", "failed", "cancelled"].includes(run.status);
  const since = run.escalations[0]?.since ?? run.updatedAt;
  return (
    <header className="run-head">
      <div className="run-title">
        <h1 className="clip">
          <Untrusted text={run.run} isLine />
        </h1>
        <StatusMark kind={runStatus(run)} />
        {blocked === null && pattern !== null && !isEnded && (
          <span className="run-reason">
            <StatusMark kind={troubleOf(run.health.state) ?? "degraded"} word={codeText(pattern)} />
          </span>
        )}
        {blocked !== null && (
          <span className="run-reason">
            <span title={blocked.reason}>{reasonText(blocked.reason)}</span>{" "}
            <span className="muted">{en.run.since}</span> <Time at={since} as="clock" />{" "}
            <span className="muted">
              (<Time at={since} />)
            </span>
          </span>
        )}
      </div>
      <p className="run-goal">
        <Untrusted text={run.goal} isLine charsMax={400} />
      </p>
      {workspace !== null && <Place workspace={workspace} />}
      {blocked !== null && (
        <div className={`run-detail run-detail-${runStatus(run)}`}>
          <Untrusted text={blocked.detail} charsMax={600} hasTimes />
        </div>
      )}
      <CommandButtons run={run.run} choices={headChoices(run)} />
      <StateButtons run={run} />
    </header>
  );
}

function Place({ workspace }: { readonly workspace: NonNullable<RunDocument["workspace"]> }): ReactElement {
  const { folder, branch } = workspace;
  return (
    <p className="run-place muted">
      <span>
        {en.run.folder} <Untrusted text={folder} isLine isMono />
      </span>
      <span>
        {en.run.branch} <Untrusted text={branch ?? en.run.inPlace} isLine isMono />
      </span>
    </p>
  );
}
