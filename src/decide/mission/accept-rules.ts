import type { RunEvent } from "../../model/events/events.ts";
import type { AcceptanceBlock, PlannedAcceptance } from "../../model/mission/mission-events.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import { commandText } from "../../model/text/command-text.ts";
import { acceptanceProblem, acceptRefused } from "./acceptance-problem.ts";
import type { MissionFacts, RehearsedWork } from "./mission-facts.ts";
import { isAccepting, leftToAccept } from "./found-work.ts";
import { isAllDone, toAccept, workShown } from "./workstreams.ts";

/** Everything is looked at before the first branch moves; one problem holds all of it. */
export function prepareRule(state: MissionState, facts: MissionFacts): RunEvent[] {
  const { acceptance } = state;
  if (acceptance === null || acceptance.plan !== null || facts.repositories === null || !isAccepting(state))
    return [];
  // Refused by a run: only a person knows whether that is over.
  if (acceptance.block?.kind === "accept_refused") return [];
  const problem = changedWork(state) ?? firstProblem(state, leftToAccept(state), facts);
  if (problem !== null) return hold(state, problem);
  const plan = leftToAccept(state).map(({ goal, work }): PlannedAcceptance => {
    const how = rehearsed(goal, facts)?.how;
    return {
      workstream: goal.id,
      repository: goal.repository,
      commit: work?.commit ?? "",
      how: how === "fast_forward" || how === "already" ? how : "merge",
    };
  });
  const repositories: Record<string, { branch: string; commit: string }> = {};
  for (const [name, { stand }] of facts.repositories) {
    const { branch = null, commit = null } = stand ?? {};
    if (branch !== null && commit !== null) repositories[name] = { branch, commit };
  }
  return [{ type: "AcceptancePrepared", data: { plan, repositories } }];
}

/** One after the other: what is asked is waited for; what is refused is recorded; nothing goes back. */
export function acceptRule(state: MissionState, facts: MissionFacts): RunEvent[] {
  const { acceptance } = state;
  if (acceptance === null || acceptance.plan === null || facts.repositories === null || !isAccepting(state))
    return [];
  const left = leftToAccept(state);
  const [next] = left;
  const run = next?.runs.at(-1);
  if (next === undefined || run === undefined) return [];
  const fact = facts.children.get(run.run);
  if (next.asked !== null)
    return fact?.refusal === null || fact === undefined
      ? []
      : hold(state, acceptRefused(next, run.run, fact.refusal));
  if (acceptance.block?.kind === "accept_refused") return [];
  // Until the first branch has moved, one problem anywhere holds all of it.
  const isBegun = toAccept(state).length > left.length;
  const problem = changedWork(state) ?? firstProblem(state, isBegun ? [next] : left, facts);
  if (problem !== null) return hold(state, problem);
  if (fact === undefined) return [];
  return [
    {
      type: "AcceptanceAsked",
      data: { workstream: next.goal.id, run: run.run, after: fact.seq, bring: run.on.length > 0 },
    },
  ];
}

/** All of it is accepted, or there is nothing to accept. */
export function endRule(state: MissionState): RunEvent[] {
  if (!isAllDone(state) || leftToAccept(state).length > 0 || state.stop !== null) return [];
  const count = toAccept(state).length;
  return [
    {
      type: "MissionEnded",
      data: {
        text:
          count === 0
            ? "nothing was changed"
            : `the work of ${toAccept(state)
                .map(({ goal }) => goal.id)
                .join(", ")} is accepted`,
      },
    },
  ];
}

const hold = (state: MissionState, block: AcceptanceBlock): RunEvent[] =>
  JSON.stringify(block) === JSON.stringify(state.acceptance?.block)
    ? []
    : [{ type: "AcceptanceHeld", data: { block } }];

const rehearsed = (
  goal: WorkstreamState["goal"],
  { repositories }: MissionFacts,
): RehearsedWork | undefined => repositories?.get(goal.repository)?.work[goal.id];

function firstProblem(
  state: MissionState,
  left: readonly WorkstreamState[],
  facts: MissionFacts,
): AcceptanceBlock | null {
  for (const one of left) {
    const problem = acceptanceProblem(state, one, facts);
    if (problem !== null) return problem;
  }
  return null;
}

/** Work that differs from what was approved. */
function changedWork(state: MissionState): AcceptanceBlock | null {
  const shown = workShown(state);
  const approved = state.acceptance?.work ?? {};
  const id = Object.keys({ ...shown, ...approved }).find((one) => shown[one] !== approved[one]);
  const one = id === undefined ? undefined : state.goals[id];
  if (one === undefined) return null;
  return {
    kind: "work_changed",
    repository: one.goal.repository,
    workstream: one.goal.id,
    detail: `the work of ${one.goal.id} is not what was approved`,
    command: commandText(["mission", "approve", state.name], null),
  };
}
