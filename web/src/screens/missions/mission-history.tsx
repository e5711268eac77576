import type { ReactElement } from "react";
import { en } from "../../text/en.ts";
import { Panel } from "../../ui/panel.tsx";
import { codeText } from "../../ui/reason-text.ts";
import { StatusMark } from "../../ui/status-mark.tsx";
import { statusOf, type StatusKind } from "../../ui/status-of.ts";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { MissionTable } from "./mission-table.tsx";
import { workMark, type Mission, type Workstream } from "./mission-words.ts";
import { RunLink } from "./workstreams-table.tsx";

const { missions: words } = en;
type Try = Workstream["tries"][number];

const markOf = ({ end, status }: Try): StatusKind =>
  end === null ? statusOf({ status: status ?? "queued" }) : workMark(end);

/** Every run that a workstream was given to: retries stay visible. */
export function MissionHistory({ mission }: { readonly mission: Mission }): ReactElement | null {
  const tries = mission.workstreams.flatMap(({ id, tries: all }) => all.map((one) => ({ id, one })));
  if (tries.length === 0) return null;
  return (
    <Panel title={words.history} count={tries.length}>
      <MissionTable
        label={words.history}
        columns={words.historyColumns}
        rows={tries.map(({ id, one }) => ({
          key: one.run,
          head: id,
          cells: {
            run: (
              <span className="row">
                <RunLink run={one.run} />
                {one.retry && <span className="muted small">{words.retry}</span>}
              </span>
            ),
            at: <Time at={one.at} />,
            by: <Untrusted text={one.by} isLine charsMax={60} />,
            end: <StatusMark kind={markOf(one)} word={codeText(one.end ?? one.status ?? words.notBegun)} />,
            why: one.text === null ? null : <Untrusted text={one.text} charsMax={200} hasTimes />,
          },
        }))}
      />
    </Panel>
  );
}
