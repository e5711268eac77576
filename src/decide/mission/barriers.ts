import type { RunEvent } from "../../model/events/events.ts";
import type { Barrier } from "../../model/mission/mission-spec.ts";
import type { MissionState } from "../../model/mission/mission-state.ts";
import { isDone, isSkipped } from "./workstreams.ts";

/** Why a barrier is closed; null where it may open by itself. */
export type BarrierHeld = { readonly why: "waits" | "condition" | "approval"; readonly text: string };

export function whyClosed(state: MissionState, barrier: Barrier): BarrierHeld | null {
  const waits = waitsFor(state, barrier);
  if (waits.length > 0) return { why: "waits", text: `waits for ${waits.join(", ")}` };
  if (neededFor(barrier).every((id) => isOut(state, id)))
    return {
      why: "approval",
      text: "waits for a person who lets it pass: all that it waited for was left out",
    };
  const wrong = barrier.if.find((one) => valueOf(state, one) !== one.is);
  if (wrong !== undefined)
    return {
      why: "condition",
      text: `${wrong.artifact}${wrong.at} of ${wrong.workstream} is ${JSON.stringify(valueOf(state, wrong)) ?? "not there"}; expected ${JSON.stringify(wrong.is)}`,
    };
  return barrier.approval ? { why: "approval", text: "waits for a person who lets it pass" } : null;
}

/** Opens the barriers whose time has come; what is open stays open. */
export const barrierRule = (state: MissionState): RunEvent[] =>
  closedBarriers(state).flatMap(([name, barrier]): RunEvent[] =>
    whyClosed(state, barrier) === null ? [{ type: "BarrierOpened", data: { barrier: name } }] : [],
  );

export const closedBarriers = (state: MissionState): [string, Barrier][] =>
  Object.entries(state.spec?.barriers ?? {}).filter(([name]) => !Object.hasOwn(state.barriers, name));

/** A barrier that only a person, or other work, can open. */
export const heldBarriers = (state: MissionState): { readonly name: string; readonly text: string }[] =>
  closedBarriers(state).flatMap(([name, barrier]) => {
    const held = whyClosed(state, barrier);
    return held === null || held.why === "waits" ? [] : [{ name, text: held.text }];
  });

/** Where one is left out, the others decide. */
function waitsFor(state: MissionState, barrier: Barrier): string[] {
  const needed = neededFor(barrier).filter((id) => !isOut(state, id));
  const left = needed.filter((id) => {
    const one = state.goals[id];
    return one !== undefined && !isDone(one);
  });
  return barrier.when === "any" && left.length < needed.length ? [] : left;
}

const neededFor = ({ of, when }: Barrier): readonly string[] => (Array.isArray(when) ? when : of);

const isOut = (state: MissionState, id: string): boolean => {
  const one = state.goals[id];
  return one !== undefined && isSkipped(one);
};

const valueOf = ({ goals }: MissionState, { workstream, artifact, at }: Barrier["if"][number]): unknown =>
  goals[workstream]?.work?.values[`${artifact}#${at}`];
