import type { ReactElement, ReactNode } from "react";
import { en } from "../../text/en.ts";
import { ActionButton } from "../../ui/commands/action-button.tsx";
import { ActionGroup } from "../../ui/commands/action-group.tsx";
import { Panel } from "../../ui/panel.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import {
  barrierMark,
  barrierWord,
  opensIf,
  workMark,
  workWord,
  type Barrier,
  type Mission,
  type Workstream,
} from "./mission-words.ts";
import { useMissionAsk } from "./use-mission-ask.ts";
import { RunLink } from "./workstreams-table.tsx";

const { missions: words } = en;

/** The workstream or barrier that is chosen, in full, and what can be asked of it. */
export function PartDetail(props: {
  readonly mission: Mission;
  readonly chosen: string;
  readonly onClose: () => void;
}): ReactElement | null {
  const { mission, chosen, onClose } = props;
  const workstream = mission.workstreams.find(({ id }) => id === chosen);
  const barrier = mission.barriers.find(({ name }) => name === chosen);
  if (workstream !== undefined)
    return (
      <Detail title={words.workstream(workstream.id)} onClose={onClose}>
        <WorkstreamDetail mission={mission} workstream={workstream} />
      </Detail>
    );
  return barrier === undefined ? null : (
    <Detail title={words.barrier(barrier.name)} onClose={onClose}>
      <BarrierDetail mission={mission} barrier={barrier} />
    </Detail>
  );
}

const Detail = (props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactElement => (
  <Panel
    title={props.title}
    actions={
      <button type="button" className="link" onClick={props.onClose}>
        {en.help.close}
      </button>
    }
  >
    <div className="panel-body stack">{props.children}</div>
  </Panel>
);

interface WorkstreamProps {
  readonly mission: Mission;
  readonly workstream: Workstream;
}

function WorkstreamDetail({ mission, workstream }: WorkstreamProps): ReactElement {
  const { status, repository, run, tries, goal, text, commit, found, accepted, needs, waitsFor } = workstream;
  const facts = [
    words.blockOf(repository),
    tries.length === 0 ? "" : words.tries(tries.length),
    commit === null ? "" : words.commit(commit),
    accepted === null ? (words.found[found ?? ""] ?? "") : words.accepted(accepted.how, accepted.into),
  ];
  return (
    <>
      <div className="row row-wrap">
        <StatusMark kind={workMark(status)} word={workWord(status)} />
        <span className="muted num">{facts.filter((one) => one !== "").join(" · ")}</span>
        <RunLink run={run} />
      </div>
      <Untrusted text={goal} charsMax={2_000} />
      {needs.length > 0 && (
        <p className="muted">
          {words.columns.needs}: {needs.join(", ")}
          {waitsFor.length > 0 && ` (${words.waitsFor} ${waitsFor.join(", ")})`}
        </p>
      )}
      {text !== null && <Untrusted text={text} charsMax={1_000} hasTimes />}
      <WorkstreamVerbs mission={mission} workstream={workstream} />
    </>
  );
}

const FAILED: ReadonlySet<string> = new Set(["failed", "cancelled", "not_started"]);
const OVER: ReadonlySet<string> = new Set(["skipped", "accepted"]);

/** What is asked may be refused: the engine says why, as on the command line. */
function WorkstreamVerbs({ mission: { mission: name, status: stands }, workstream }: WorkstreamProps) {
  const { isAsking, ask, commandOf } = useMissionAsk(name);
  const { id, status } = workstream;
  if (stands === "ended" || OVER.has(status)) return null;
  const launch = ["launch", name, "--workstream", id];
  const retry = [...launch, "--retry"];
  const skip = ["skip", id, "--mission", name];
  const first = status === "ready" ? launch : FAILED.has(status) ? retry : skip;
  return (
    <div className="stack-tight">
      <span className="muted">{words.skipHint}</span>
      <ActionGroup key={status} first={commandOf(...first)}>
        {status === "ready" && (
          <ActionButton
            command={commandOf(...launch)}
            tone="main"
            isBusy={isAsking}
            onPress={() => ask({ kind: "launch", workstream: id }, ...launch)}
          >
            {words.verbs.launch}
          </ActionButton>
        )}
        {FAILED.has(status) && (
          <ActionButton
            command={commandOf(...retry)}
            tone="main"
            isBusy={isAsking}
            onPress={() => ask({ kind: "launch", workstream: id, retry: true }, ...retry)}
          >
            {words.verbs.retry}
          </ActionButton>
        )}
        <ActionButton
          command={commandOf(...skip)}
          tone="danger"
          isBusy={isAsking}
          onPress={() => ask({ kind: "skip", workstream: id }, ...skip)}
        >
          {words.verbs.skip}
        </ActionButton>
      </ActionGroup>
    </div>
  );
}

function BarrierDetail(props: { readonly mission: Mission; readonly barrier: Barrier }): ReactElement {
  const { mission, barrier } = props;
  const { name, of, open, by, text } = barrier;
  const { isAsking, ask, commandOf } = useMissionAsk(mission.mission);
  const pass = ["pass", name, "--mission", mission.mission];
  return (
    <>
      <div className="row row-wrap">
        <StatusMark kind={barrierMark(barrier)} word={barrierWord(barrier)} />
        {by !== null && <Untrusted text={words.openBy(by)} isLine charsMax={60} />}
      </div>
      <p className="muted">
        {words.barrierColumns.of}: {of.join(", ")}
      </p>
      <Untrusted text={`${words.barrierColumns.when}: ${opensIf(barrier).join("; ")}`} charsMax={1_000} />
      {text !== null && <Untrusted text={text} charsMax={1_000} />}
      {!open && mission.status !== "ended" && (
        <ActionGroup first={commandOf(...pass)}>
          <ActionButton
            command={commandOf(...pass)}
            tone="main"
            isBusy={isAsking}
            onPress={() => ask({ kind: "pass", barrier: name }, ...pass)}
          >
            {words.verbs.pass}
          </ActionButton>
        </ActionGroup>
      )}
    </>
  );
}
