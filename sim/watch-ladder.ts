import type { EventData } from "../src/model/events.ts";
import { REMEDIES, type Remedy } from "../src/model/ladder.ts";
import type { RunSettings } from "../src/model/settings.ts";
import type { Say, Watcher } from "./replay.ts";

/** What each rung may cost: told here once more, apart from the judgement. */
const budgetOf = (remedy: Remedy, { ladder }: RunSettings): number => {
  if (remedy === "nudge") return ladder.nudges;
  return remedy === "restart" ? ladder.restarts : 1;
};

interface Climb {
  /** The last rung that was taken or passed over. */
  remedy: Remedy;
  tries: number;
  passed: boolean;
  watched: boolean;
}

/** Remedies come one at a time, in their order, none skipped, none beyond its budget, and only for what is stuck. */
export function remediesInOrder(): Watcher {
  const climbs = new Map<string, Climb>();
  const restarts = new Map<string, number>();
  const health = new Map<string, string>();
  const anew = (step: string): void => {
    climbs.delete(step);
    restarts.delete(step);
  };
  const taken = (
    data: EventData<"RemedyTaken">,
    place: { seq: number; settings: RunSettings },
    say: Say,
  ): void => {
    const { step, remedy, attempt } = data;
    const where = `${remedy} at ${String(place.seq)}`;
    const last = climbs.get(step);
    if (last?.watched === true) say(`${where} is taken while ${last.remedy} is still watched`);
    if (health.get(attempt) !== "stuck") say(`${where} is taken for ${attempt}, which is not stuck`);
    orderKept(last, remedy, { where, settings: place.settings, restarts: restarts.get(step) ?? 0 }, say);
    const tries = last?.remedy === remedy ? last.tries + 1 : 1;
    const uses = remedy === "restart" ? (restarts.get(step) ?? 0) + 1 : tries;
    if (remedy === "restart") restarts.set(step, uses);
    if (uses > budgetOf(remedy, place.settings)) say(`${where} is beyond its budget`);
    climbs.set(step, { remedy, tries, passed: false, watched: true });
  };
  return {
    see({ event, state }, say) {
      const { type, data, seq } = event;
      if (type === "HealthChanged") health.set(data.attempt, data.state);
      if (type === "RemedyTaken") taken(data, { seq, settings: state.settings }, say);
      if (type === "RemedyJudged") {
        const { step, remedy, outcome } = data;
        if (outcome === "helped") climbs.delete(step);
        else if (outcome === "not_applicable")
          climbs.set(step, { remedy, tries: 0, passed: true, watched: false });
        else
          climbs.set(step, { ...(climbs.get(step) ?? { remedy, tries: 1, passed: false }), watched: false });
      }
      if (type === "StepReset") anew(data.step);
      if (type === "RunUnblocked") for (const step of [...climbs.keys()]) anew(step);
    },
  };
}

function orderKept(
  last: Climb | undefined,
  remedy: Remedy,
  { where, settings, restarts }: { where: string; settings: RunSettings; restarts: number },
  say: Say,
): void {
  const before = last === undefined ? -1 : REMEDIES.indexOf(last.remedy);
  const now = REMEDIES.indexOf(remedy);
  if (now < before) say(`${where} goes down without progress`);
  if (now > before + 1) say(`${where} skips ${REMEDIES.slice(before + 1, now).join(", ")}`);
  if (last === undefined || last.passed || now !== before + 1) return;
  const uses = last.remedy === "restart" ? restarts : last.tries;
  if (uses < budgetOf(last.remedy, settings)) say(`${where} skips a try of ${last.remedy}`);
}
