import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { en } from "../../text/en.ts";
import { Panel } from "../../ui/panel.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import type { Choice } from "./mission-graph.tsx";
import { barrierMark, barrierWord, opensIf, workMark, workWord, type Mission } from "./mission-words.ts";
import { MissionTable } from "./mission-table.tsx";

const { missions: words } = en;

export const RunLink = ({ run }: { readonly run: string | null }): ReactElement | null =>
  run === null ? null : (
    <Link to="/runs/$run/$tab" params={{ run, tab: "now" }} className="clip">
      <Untrusted text={run} isLine charsMax={80} />
    </Link>
  );

const Chooser = (props: { readonly name: string; readonly choice: Choice }): ReactElement => {
  const { name, choice } = props;
  const isChosen = choice.chosen === name;
  return (
    <button
      type="button"
      className="link link-start"
      aria-pressed={isChosen}
      onClick={() => choice.choose(isChosen ? null : name)}
    >
      {name}
    </button>
  );
};

interface Parts {
  readonly mission: Mission;
  readonly choice: Choice;
}

/** What the graph shows of the workstreams, in words. */
export const WorkstreamsTable = ({ mission: { workstreams }, choice }: Parts): ReactElement => (
  <Panel title={words.workstreams} count={workstreams.length}>
    <MissionTable
      label={words.workstreams}
      columns={words.columns}
      rows={workstreams.map(({ id, status, repository, needs, waitsFor, run, tries, text, goal }) => ({
        key: id,
        head: <Chooser name={id} choice={choice} />,
        cells: {
          status: <StatusMark kind={workMark(status)} word={workWord(status)} />,
          repository,
          needs: needs.length === 0 ? words.nothing : needs.join(", "),
          run: (
            <span className="stack-tight">
              <RunLink run={run} />
              {tries.length > 1 && <span className="muted small num">{words.tries(tries.length)}</span>}
            </span>
          ),
          why:
            waitsFor.length > 0 ? (
              `${words.waitsFor} ${waitsFor.join(", ")}`
            ) : (
              <Untrusted text={text ?? goal} charsMax={160} />
            ),
        },
      }))}
    />
  </Panel>
);

/** What the graph shows of the barriers, in words. */
export const BarriersTable = ({ mission: { barriers }, choice }: Parts): ReactElement => (
  <Panel title={words.barriers} count={barriers.length}>
    <MissionTable
      label={words.barriers}
      columns={words.barrierColumns}
      rows={barriers.map((barrier) => ({
        key: barrier.name,
        head: <Chooser name={barrier.name} choice={choice} />,
        cells: {
          status: (
            <span className="stack-tight">
              <StatusMark kind={barrierMark(barrier)} word={barrierWord(barrier)} />
              {barrier.by !== null && (
                <span className="muted small">
                  <Untrusted text={words.openBy(barrier.by)} isLine charsMax={60} />
                </span>
              )}
            </span>
          ),
          of: barrier.of.join(", "),
          when: <Untrusted text={opensIf(barrier).join("; ")} charsMax={300} />,
        },
      }))}
    />
  </Panel>
);
