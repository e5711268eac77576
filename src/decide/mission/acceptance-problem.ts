import type { AcceptanceBlock } from "../../model/mission/mission-events.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import { commandText, shellWord } from "../../model/text/command-text.ts";
import type { MissionFacts } from "./mission-facts.ts";

/** Why the work of a workstream cannot be taken in as things stand, with what ends that; null where it can. */
export function acceptanceProblem(
  state: MissionState,
  one: WorkstreamState,
  { repositories }: MissionFacts,
): AcceptanceBlock | null {
  const { id, repository } = one.goal;
  const place = state.spec?.repositories[repository];
  const fact = repositories?.get(repository);
  if (place === undefined || fact === undefined) return null;
  const at = shellWord(place.path);
  const block = (kind: AcceptanceBlock["kind"], detail: string, command: string): AcceptanceBlock => ({
    kind,
    repository,
    workstream: id,
    detail,
    command,
  });
  const { stand } = fact;
  if (stand === null)
    return block(
      "repository_missing",
      `${place.path} is no repository any more`,
      commandText(["mission", "status", state.name], null),
    );
  if (stand.branch !== place.branch)
    return block(
      "branch_switched",
      `${place.path} is on ${stand.branch ?? "no branch"}; expected ${place.branch}`,
      `git -C ${at} switch ${shellWord(place.branch)}`,
    );
  if (!fact.keepsBase)
    return block(
      "history_rewritten",
      `${place.branch} of ${place.path} does not hold ${place.commit.slice(0, 12)} any more, with which the mission began`,
      `git -C ${at} merge ${place.commit}`,
    );
  if (fact.dirty.length > 0)
    return block(
      "repository_dirty",
      `${place.path} has changes that are not committed: ${fact.dirty.slice(0, 5).join(", ")}`,
      `git -C ${at} stash push --include-untracked`,
    );
  const work = fact.work[id];
  const run = one.runs.at(-1)?.run ?? "";
  // What comes after a conflict was not rehearsed: the conflict itself is the problem.
  if (work?.how === "missing")
    return block(
      "work_missing",
      `${place.path} does not hold the commit ${one.work?.commit ?? ""} of ${id}`,
      commandText(["mission", "skip", id, "--mission", state.name], null),
    );
  if (work?.how === "conflict")
    return block(
      "merge_conflict",
      `the work of ${id} and the branch ${place.branch} changed the same: ${work.files.slice(0, 5).join(", ")}`,
      commandText(["accept", run, "--resolution", "merge"], null),
    );
  return null;
}

/** A command that a refusal names is the one that ends it. */
export function acceptRefused({ goal }: WorkstreamState, run: string, why: string): AcceptanceBlock {
  const named = /holdfast accept \S+(?: --[a-z]+ [a-z]+)*|git -C \S+ [^)]+/.exec(why)?.[0];
  return {
    kind: "accept_refused",
    repository: goal.repository,
    workstream: goal.id,
    detail: why,
    command: named ?? commandText(["accept", run], null),
  };
}
