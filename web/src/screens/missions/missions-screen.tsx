import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { MissionNeeds } from "./mission-needs.tsx";
import { doneText, missionMark, missionWord, type Mission } from "./mission-words.ts";

const { missions: words } = en;

/** Every mission: where it stands, in which repositories, and what it waits for. */
export function MissionsScreen(): ReactElement {
  const { data, error, refresh } = useApi("listMissions", {});
  return (
    <>
      <h1>{words.title}</h1>
      {error !== null && <Problem error={error} onAgain={refresh} />}
      {data === undefined && error === null && <Skeleton />}
      {data !== undefined && (
        <Panel title={words.list} count={data.missions.length}>
          {data.missions.length === 0 && (
            <EmptyState title={words.none} command={words.command}>
              {words.noneText}
            </EmptyState>
          )}
          <ul className="lines">
            {data.missions.map((mission) => (
              <MissionLine key={mission.mission} mission={mission} />
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

function MissionLine({ mission }: { readonly mission: Mission }): ReactElement {
  const { mission: name, since, text, repositories } = mission;
  return (
    <li className="line stack-tight">
      <div className="row row-wrap">
        <StatusMark kind={missionMark(mission)} word={missionWord(mission)} />
        <Link to="/missions/$mission" params={{ mission: name }} className="run-name clip">
          <Untrusted text={name} isLine charsMax={80} />
        </Link>
        <span className="grow muted num">
          {doneText(mission)} · {words.over(repositories.map((one) => one.name).join(", "))}
        </span>
        <span className="muted">
          <Time at={since} />
        </span>
      </div>
      {text !== null && <Untrusted text={text} charsMax={300} hasTimes />}
      <MissionNeeds mission={mission} />
    </li>
  );
}
