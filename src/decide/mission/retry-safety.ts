import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import { isEnded } from "../../model/state/run-status.ts";
import type { MissionFacts } from "./mission-facts.ts";
import { isAccepted, isFailed, launchedDependents, workstreamRunId, workstreamsOf } from "./workstreams.ts";

export const RETRY_REFUSALS = [
  "not_retryable",
  "several_failures",
  "dependents_dispatched",
  "repository_missing",
  "repository_dirty",
  "another_owner",
] as const;
type RetryRefusal = (typeof RETRY_REFUSALS)[number];

export interface UnsafeRetry {
  readonly reason: RetryRefusal;
  readonly text: string;
}

/** Why retrying a workstream alone is not safe; null where it is. `alone`: a person retries exactly this one. */
export function unsafeRetry(
  state: MissionState,
  one: WorkstreamState,
  facts: MissionFacts & { readonly alone: boolean },
): UnsafeRetry | null {
  const { id } = one.goal;
  const wrong = wrongState(one, facts);
  if (wrong !== null) return { reason: "not_retryable", text: wrong };
  const others = workstreamsOf(state).filter((other) => isFailed(other) && other !== one);
  if (facts.alone && others.length > 0)
    return {
      reason: "several_failures",
      text: `${[id, ...others.map(({ goal }) => goal.id)].join(", ")} have failed: one may be the cause of another`,
    };
  const dependents = launchedDependents(state, id);
  if (dependents.length > 0)
    return {
      reason: "dependents_dispatched",
      text: `${dependents.join(", ")} built on what is there without ${id}, and was launched already`,
    };
  return unsafePlace(state, one, facts);
}

/** What its state, and what its run says, have against it. */
function wrongState(one: WorkstreamState, { children }: MissionFacts): string | null {
  const { id } = one.goal;
  if (isAccepted(one)) return `${id} is accepted`;
  if (one.status === "queued") return `${id} was never launched: launch it without --retry`;
  const last = one.runs.at(-1);
  if (one.status === "issued")
    return last?.waits === null || last === undefined
      ? `${id} is at work in ${last?.run ?? "its run"}`
      : `${id} waits for you in ${last.run}: ${last.waits.detail}`;
  if (!isFailed(one)) return `${id} is ${one.end?.kind ?? one.status}`;
  const fact = last === undefined ? undefined : children.get(last.run);
  if (fact === undefined || isEnded(fact.status) || fact.waits !== null) return null;
  return `${id} is at work again in ${fact.run}`;
}

function unsafePlace(
  state: MissionState,
  one: WorkstreamState,
  { repositories, children, refused }: MissionFacts,
): UnsafeRetry | null {
  const { repository } = one.goal;
  const fact = repositories?.get(repository);
  const folder = state.spec?.repositories[repository]?.path ?? repository;
  if (fact === undefined || fact.stand === null)
    return { reason: "repository_missing", text: `${folder} is no repository any more` };
  if (fact.dirty.length > 0)
    return {
      reason: "repository_dirty",
      text: `${folder} has changes that are not committed: ${fact.dirty.slice(0, 5).join(", ")}`,
    };
  if (fact.otherOwner !== null)
    return { reason: "another_owner", text: `${folder} is worked in by ${fact.otherOwner}` };
  const next = workstreamRunId(state.name, one);
  return children.has(next) || refused.has(next)
    ? { reason: "another_owner", text: `there is a run ${next} of somebody else` }
    : null;
}
