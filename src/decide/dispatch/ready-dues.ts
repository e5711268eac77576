import type { RunState } from "../../model/state/run-state.ts";
import { isTreeTaken } from "./authority.ts";
import { holdOf } from "../resources/shared-resources.ts";
import { firstInLine, inLine, isLaneOfWaiting } from "./ready-queue.ts";
import type { Due } from "../rules/rule.ts";

/** So many of those that wait out a time of their own are looked at. */
const LOOKS_MAX = 256;

/** When the next steps may begin; by name where a step waits for its next attempt. */
export const readyDues = (state: RunState, now: number): Due[] => [
  ...(state.status === "running" && !isTreeTaken(state) ? inLineDues(state, now) : []),
  ...Object.values(state.steps).flatMap(({ spec, notBefore }): Due[] =>
    notBefore === null || notBefore <= now
      ? []
      : [{ at: notBefore, what: `the next attempt of step ${spec.name}`, named: "only" }],
  ),
];

function inLineDues(state: RunState, now: number): Due[] {
  const fresh = Object.keys(state.ready.lanes).filter((lane) => !isLaneOfWaiting(lane));
  const dues = firstInLine(state).map((step): Due => ({ at: holdOf(state, step, now)?.until ?? now }));
  let looks = 0;
  for (const { step } of inLine(state, new Set(fresh))) {
    if ((looks += 1) > LOOKS_MAX) break;
    dues.push({ at: Math.max(step.notBefore ?? now, holdOf(state, step, now)?.until ?? now) });
  }
  return dues;
}
