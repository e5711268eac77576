import { useParams } from "@tanstack/react-router";
import { useState, type ReactElement } from "react";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { BudgetPart } from "../../ui/amounts/budget-part.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { MissionApproval } from "./mission-approval.tsx";
import { MissionAutopilot } from "./mission-autopilot.tsx";
import { MissionGraph } from "./mission-graph.tsx";
import { MissionHead } from "./mission-head.tsx";
import { MissionHistory } from "./mission-history.tsx";
import { NEEDS_BY_KIND } from "./mission-needs.tsx";
import { MissionRepositories } from "./mission-repositories.tsx";
import type { Mission } from "./mission-words.ts";
import { PartDetail } from "./part-detail.tsx";
import { BarriersTable, WorkstreamsTable } from "./workstreams-table.tsx";

const { missions: words } = en;

/** One mission: what it waits for, its graph over repositories, its one approval, and every try. */
export function MissionScreen(): ReactElement {
  const { mission = "" } = useParams({ strict: false });
  const { data, error, refresh } = useApi("getMission", { params: { mission } });
  if (data === undefined) return error === null ? <Skeleton /> : <Problem error={error} onAgain={refresh} />;
  return (
    <div className="session">
      <MissionHead mission={data} />
      <MissionDoing mission={data} />
      <MissionParts mission={data} />
    </div>
  );
}

/** What somebody has to do, before everything else. */
function MissionDoing({ mission }: { readonly mission: Mission }): ReactElement {
  const { text, digest, status } = mission;
  return (
    <>
      {text !== null && (
        <Panel title={words.ended}>
          <div className="panel-body">
            <Untrusted text={text} charsMax={2_000} hasTimes />
          </div>
        </Panel>
      )}
      {NEEDS_BY_KIND.map(({ title, list }) => {
        const { count, body } = list(mission);
        return count === 0 ? null : (
          <Panel key={title} title={title} count={count} className="now-press">
            <div className="panel-body">{body}</div>
          </Panel>
        );
      })}
      {digest !== null && status !== "ended" && <MissionApproval mission={mission} />}
    </>
  );
}

function MissionParts({ mission }: { readonly mission: Mission }): ReactElement {
  const { barriers, budget, autopilot } = mission;
  const [chosen, choose] = useState<string | null>(null);
  const choice = { chosen, choose };
  return (
    <>
      <MissionGraph mission={mission} choice={choice} />
      {chosen !== null && <PartDetail mission={mission} chosen={chosen} onClose={() => choose(null)} />}
      <div className="session-parts">
        <div className="stack">
          <WorkstreamsTable mission={mission} choice={choice} />
          {barriers.length > 0 && <BarriersTable mission={mission} choice={choice} />}
          <MissionRepositories mission={mission} />
          <MissionHistory mission={mission} />
        </div>
        <div className="stack">
          <MissionAutopilot key={JSON.stringify(autopilot)} mission={mission} />
          <Panel title={words.budget}>
            <BudgetPart spent={budget.spent} limits={budget.limits} />
          </Panel>
        </div>
      </div>
    </>
  );
}
