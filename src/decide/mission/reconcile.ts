import { commandText, shellWord } from "../../model/text/command-text.ts";
import type { RunEvent } from "../../model/events/events.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import { foundRule, foundWork, lossRule, lostWork } from "./found-work.ts";
import { evolveMission } from "./evolve-mission.ts";
import type { MissionFacts } from "./mission-facts.ts";
import { settleRule } from "./settle-workstreams.ts";
import { isFailed, workstreamsOf } from "./workstreams.ts";

/** Where what is recorded and what is found differ, and what brings them together. */
export interface Difference {
  readonly kind:
    | "run_ahead"
    | "accepted_there"
    | "not_there_any_more"
    | "branch_switched"
    | "history_rewritten"
    | "repository_missing";
  readonly workstream: string | null;
  readonly repository: string | null;
  readonly text: string;
  readonly command: string;
}

/** What the mission would record of its runs and repositories now. The state is changed in place. */
export function reconcileEvents(state: MissionState, facts: MissionFacts): RunEvent[] {
  const events: RunEvent[] = [];
  for (const rule of [settleRule, lossRule, foundRule])
    for (const event of rule(state, facts)) {
      events.push(event);
      evolveMission(state, event, { seq: state.seq + 1, at: facts.now });
    }
  return events;
}

export const differencesOf = (state: MissionState, facts: MissionFacts): Difference[] => [
  ...workstreamsOf(state).flatMap((one) => runAhead(state, one, facts)),
  ...foundWork(state, facts.repositories).map((one) =>
    difference(state, one, {
      kind: "accepted_there",
      text: `${one.goal.repository} holds the work of ${one.goal.id}, which the mission counts as not accepted`,
    }),
  ),
  ...lostWork(state, facts.repositories).map((one) =>
    difference(state, one, {
      kind: "not_there_any_more",
      text: `${one.goal.repository} does not hold the work of ${one.goal.id} any more, which the mission counts as accepted`,
    }),
  ),
  ...repositoriesApart(state, facts),
];

const difference = (
  { name }: MissionState,
  { goal }: WorkstreamState,
  { kind, text }: Pick<Difference, "kind" | "text">,
): Difference => ({
  kind,
  text,
  workstream: goal.id,
  repository: goal.repository,
  command: commandText(["mission", "reconcile", name], null),
});

/** Its run has come further than is recorded of it. */
function runAhead(state: MissionState, one: WorkstreamState, { children }: MissionFacts): Difference[] {
  const run = one.runs.at(-1);
  const fact = run === undefined ? undefined : children.get(run.run);
  if (run === undefined || fact === undefined || one.end?.kind === "skipped") return [];
  const isBehind = isEnded(fact.status) && (one.status === "issued" || (isFailed(one) && fact.work !== null));
  return isBehind
    ? [
        difference(state, one, {
          kind: "run_ahead",
          text: `${fact.run} is ${fact.status}, which the mission counts as ${one.end?.kind ?? "at work"}`,
        }),
      ]
    : [];
}

function repositoriesApart({ spec, end, name }: MissionState, { repositories }: MissionFacts): Difference[] {
  if (end !== null) return [];
  return Object.entries(spec?.repositories ?? {}).flatMap(
    ([repository, { path, branch, commit }]): Difference[] => {
      const fact = repositories?.get(repository);
      const of = { workstream: null, repository };
      if (fact === undefined) return [];
      const { stand } = fact;
      if (stand === null)
        return [
          {
            ...of,
            kind: "repository_missing",
            text: `${path} is no repository any more`,
            command: commandText(["mission", "stop", name], null),
          },
        ];
      if (stand.branch !== branch)
        return [
          {
            ...of,
            kind: "branch_switched",
            text: `${path} is on ${stand.branch ?? "no branch"}; the mission works for ${branch}`,
            command: `git -C ${shellWord(path)} switch ${shellWord(branch)}`,
          },
        ];
      return fact.keepsBase
        ? []
        : [
            {
              ...of,
              kind: "history_rewritten",
              text: `${branch} of ${path} does not hold ${commit.slice(0, 12)} any more`,
              command: `git -C ${shellWord(path)} merge ${commit}`,
            },
          ];
    },
  );
}
