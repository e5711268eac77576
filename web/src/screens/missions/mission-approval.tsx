import type { ReactElement } from "react";
import type { AnswerOf } from "../../../../src/api/client/client.ts";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { ActionButton } from "../../ui/commands/action-button.tsx";
import { ActionGroup } from "../../ui/commands/action-group.tsx";
import { Diff } from "../../ui/diff.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import type { Mission } from "./mission-words.ts";
import { useMissionAsk } from "./use-mission-ask.ts";

const { missions: words } = en;
type Change = AnswerOf<"diffMission">["diffs"][number];

/** The work of all workstreams together, and the one approval for exactly this. */
export function MissionApproval({ mission }: { readonly mission: Mission }): ReactElement {
  const { mission: name, approvedBy } = mission;
  const about = { kind: "run" as const, run: `mission:${name}` };
  const { data, error, refresh } = useApi("diffMission", { params: { mission: name } }, about);
  return (
    <Panel title={words.approvalTitle} count={data?.diffs.length} className="now-press">
      <div className="panel-body stack">
        <p className="muted">{words.approvalText}</p>
        {approvedBy !== null && <Untrusted text={words.approvedBy(approvedBy)} isLine charsMax={80} />}
        {data === undefined && (error === null ? <Skeleton /> : <Problem error={error} onAgain={refresh} />)}
        {data !== undefined && data.digest !== null && <Approve mission={mission} digest={data.digest} />}
        {data?.diffs.map((change) => (
          <ChangeOf key={change.workstream} change={change} />
        ))}
      </div>
    </Panel>
  );
}

/** Bound to what is shown: where the work is another by then, it is refused. */
function Approve({ mission, digest }: { readonly mission: Mission; readonly digest: string }) {
  const { mission: name, status, approvedBy } = mission;
  const { isAsking, ask, commandOf } = useMissionAsk(name);
  if (status === "ended" || status === "accepting") return null;
  const approve = ["approve", name, "--digest", digest];
  return (
    <ActionGroup first={commandOf(...approve)}>
      <ActionButton
        command={commandOf(...approve)}
        tone="main"
        isBusy={isAsking}
        onPress={() => ask({ kind: "approve", digest }, ...approve)}
      >
        {approvedBy === null ? words.verbs.approve : words.verbs.approveAgain}
      </ActionButton>
    </ActionGroup>
  );
}

const ChangeOf = ({ change }: { readonly change: Change }): ReactElement => {
  const { workstream, repository, commit, found, patch } = change;
  const facts = [words.blockOf(repository), words.commit(commit), words.found[found ?? ""] ?? ""];
  return (
    <section className="diff-file" aria-label={words.workstream(workstream)}>
      <h3 className="row row-wrap">
        {workstream}
        <span className="muted small">{facts.filter((one) => one !== "").join(" · ")}</span>
      </h3>
      {patch === null ? <p className="muted">{words.gonePatch}</p> : <Diff text={patch.trimEnd()} />}
    </section>
  );
};
