import type { EventData } from "../../model/events/events.ts";
import type { Workstream } from "../../model/mission/mission-spec.ts";
import type { MissionState, WorkstreamState } from "../../model/mission/mission-state.ts";
import { isSameJson } from "../../model/values/pointed.ts";
import { goalOf } from "./evolve-acceptance.ts";

/** A workstream that nobody was given yet. */
export const queued = (goal: Workstream, order: number): WorkstreamState => ({
  ...{ goal, order, status: "queued", notBefore: 0, runs: [], end: null, work: null },
  ...{ accepted: null, asked: null },
});

/** What is kept stays as it is; of what is dropped the runs stay as history. */
export function replan(
  state: MissionState,
  { spec, dropped, by }: EventData<"MissionReplanned">,
  at: number,
): void {
  for (const id of dropped) {
    const goal = goalOf(state, id);
    const end = { kind: "skipped", text: `left out by ${by}, who planned again`, at } as const;
    if (goal?.runs.length === 0) Reflect.deleteProperty(state.goals, id);
    else if (goal !== undefined) Object.assign(goal, { status: "ended", end });
  }
  for (const [order, goal] of spec.workstreams.entries()) {
    const before = goalOf(state, goal.id);
    if (before === undefined) state.goals[goal.id] = queued(goal, order);
    else if (isSameJson(before.goal, goal)) state.goals[goal.id] = { ...before, order };
    else state.goals[goal.id] = { ...queued(goal, order), runs: before.runs };
  }
  for (const [name, barrier] of Object.entries(state.spec?.barriers ?? {}))
    if (!isSameJson(barrier, spec.barriers[name])) Reflect.deleteProperty(state.barriers, name);
  Object.assign(state, { spec, replans: state.replans + 1, wave: null, autopilotStop: null });
}
