import type { RunEvent } from "../../model/events/events.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import type { MissionFacts } from "./mission-facts.ts";
import { isAccepted, toAccept, workstreamsOf } from "./workstreams.ts";

/** Whether the repositories are to be looked at: while work is being accepted. */
export const isAccepting = (state: MissionState): boolean =>
  state.acceptance !== null && state.end === null && state.stop === null && state.pause === null;

/** Done, and not accepted as far as is recorded, in the order of acceptance. */
export const leftToAccept = (state: MissionState): WorkstreamState[] =>
  toAccept(state).filter((one) => !isAccepted(one));

/** What was accepted and is not there any more: the repositories are right. */
export const lossRule = (state: MissionState, { repositories }: MissionFacts): RunEvent[] =>
  lostWork(state, repositories).map(({ goal: { id, repository }, accepted }) => ({
    type: "AcceptanceLost",
    data: {
      workstream: id,
      text: `the branch ${accepted?.into ?? ""} of ${repository} does not hold ${accepted?.commit.slice(0, 12) ?? ""} any more`,
    },
  }));

export function lostWork(state: MissionState, repositories: MissionFacts["repositories"]): WorkstreamState[] {
  return workstreamsOf(state).filter(({ goal, accepted }) => {
    const fact = repositories?.get(goal.repository);
    const how = fact?.work[goal.id]?.how;
    return (
      accepted !== null && fact?.stand?.branch === accepted.into && how !== undefined && how !== "already"
    );
  });
}

/** What the repositories hold already is accepted, also where a person took it in. */
export const foundRule = (state: MissionState, facts: MissionFacts): RunEvent[] =>
  foundWork(state, facts.repositories).map(({ goal, work, asked, runs }) => {
    const stand = facts.repositories?.get(goal.repository)?.stand;
    const accepted = facts.children.get(runs.at(-1)?.run ?? "")?.accepted;
    return {
      type: "WorkstreamAccepted",
      data: {
        workstream: goal.id,
        commit: work?.commit ?? "",
        into: stand?.branch ?? "",
        how: accepted?.how ?? "already",
        ...(asked === null ? { found: true as const } : {}),
      },
    };
  });

/** Only on the branch that is worked for: elsewhere it may be what somebody tries. */
export const foundWork = (
  state: MissionState,
  repositories: MissionFacts["repositories"],
): WorkstreamState[] =>
  leftToAccept(state).filter(({ goal }) => {
    const fact = repositories?.get(goal.repository);
    return (
      fact?.work[goal.id]?.how === "already" &&
      fact.stand?.branch === state.spec?.repositories[goal.repository]?.branch
    );
  });
