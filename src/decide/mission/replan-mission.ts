import type { MissionSpec } from "../../model/mission/mission-spec.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import { isSameJson } from "../../model/values/pointed.ts";
import { done, refused, type MissionAnswer, type MissionAsker } from "./mission-answers.ts";
import { isFailed, workstreamsOf } from "./workstreams.ts";

/** As a run's own plan: so often what is left may be planned again (R6). */
export const REPLANS_MAX = 2;

/**
 * Replaces what is left of a mission after a failure. What is done, left out or at work has to be in the new plan as it
 * is: only what has failed, or was never launched, may change or go.
 */
export function replanMission(state: MissionState, given: MissionSpec, asker: MissionAsker): MissionAnswer {
  const { spec: before } = state;
  if (before === null) return refused("unknown", `there is no mission "${state.name}"`);
  const spec = { ...given, repositories: { ...given.repositories, ...before.repositories } };
  if (isSameJson(before, spec)) return done("that is the plan already; nothing has changed");
  const why = whyNoReplan(state, given);
  if (why !== null) return refused(why.reason, why.text);
  const stays = new Set(spec.workstreams.map(({ id }) => id));
  const dropped = workstreamsOf(state)
    .filter((one) => !stays.has(one.goal.id) && isLeft(one))
    .map(({ goal }) => goal.id);
  return done(
    `the rest of the mission is planned again (${String(state.replans + 1)} of ${String(REPLANS_MAX)} times)`,
    { type: "MissionReplanned", data: { ...asker, spec, dropped } },
  );
}

/** Neither done nor at work, and not left out. */
const isLeft = (one: WorkstreamState): boolean => one.status === "queued" || isFailed(one);

interface NoReplan {
  readonly reason: string;
  readonly text: string;
}

function whyNoReplan(state: MissionState, given: MissionSpec): NoReplan | null {
  if (state.acceptance !== null)
    return {
      reason: "accepting",
      text: "the work of the mission is being accepted: nothing is planned again",
    };
  if (!workstreamsOf(state).some(isFailed))
    return { reason: "nothing_failed", text: "no workstream has failed: there is nothing to plan again" };
  if (state.replans >= REPLANS_MAX)
    return {
      reason: "replans_exhausted",
      text: `what is left was planned again ${String(REPLANS_MAX)} times already; retry or skip what has failed`,
    };
  return changedKept(state, given) ?? changedRepository(state, given);
}

function changedKept(state: MissionState, { workstreams }: MissionSpec): NoReplan | null {
  for (const one of workstreamsOf(state)) {
    if (isLeft(one)) continue;
    const { id } = one.goal;
    const again = workstreams.find((other) => other.id === id);
    // What was left out may stay away.
    if (again === undefined && one.end?.kind === "skipped") continue;
    if (again === undefined || !isSameJson(again, one.goal))
      return {
        reason: "workstream_changed",
        text: `${id} is ${one.end?.kind ?? "at work"}: expected it in the new plan exactly as it is`,
      };
  }
  return null;
}

function changedRepository(state: MissionState, { repositories }: MissionSpec): NoReplan | null {
  for (const [name, { path }] of Object.entries(state.spec?.repositories ?? {})) {
    const again = repositories[name];
    if (again !== undefined && again.path !== path)
      return {
        reason: "repository_changed",
        text: `the repository ${name} is ${path}, not ${again.path}: give another one another name`,
      };
  }
  return null;
}
