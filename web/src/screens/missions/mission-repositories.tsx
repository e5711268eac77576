import type { ReactElement } from "react";
import { en } from "../../text/en.ts";
import { Panel } from "../../ui/panel.tsx";
import { StatusMark } from "../../ui/status-mark.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";
import { MissionTable } from "./mission-table.tsx";
import type { Mission, Repository } from "./mission-words.ts";

const { missions: words } = en;
const COMMIT_CHARS = 12;

/** On which branch a repository is; one that it should not be on is marked. */
function Branch({ repository: { branch, stand } }: { readonly repository: Repository }): ReactElement {
  if (stand === null) return <StatusMark kind="blocked" word={words.gone} />;
  const at = stand.branch ?? words.noBranch;
  if (at !== branch) return <StatusMark kind="blocked" word={words.onBranch(at, branch)} />;
  return <Untrusted text={branch} isLine isMono />;
}

/** The repositories of a mission, as they stand now. */
export const MissionRepositories = ({ mission }: { readonly mission: Mission }): ReactElement => (
  <Panel title={words.repositories} count={mission.repositories.length}>
    <MissionTable
      label={words.repositories}
      columns={words.repositoryColumns}
      rows={mission.repositories.map((repository) => ({
        key: repository.name,
        head: repository.name,
        cells: {
          path: <Untrusted text={repository.path} charsMax={300} isMono />,
          branch: <Branch repository={repository} />,
          at: <code>{repository.stand?.commit?.slice(0, COMMIT_CHARS) ?? ""}</code>,
          dirty:
            repository.dirty.length === 0 ? (
              <span className="muted">{words.clean}</span>
            ) : (
              <Untrusted text={repository.dirty.join(", ")} charsMax={200} isMono />
            ),
        },
      }))}
    />
  </Panel>
);
