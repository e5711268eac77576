import type { EventData } from "../../src/model/events/events.ts";
import { isSettled, REMEDIES, type Remedy } from "../../src/model/agent/ladder.ts";
import type { RunSettings } from "../../src/model/settings/settings.ts";
import type { Say, Watcher } from "../world/replay.ts";

/** What each rung may cost: told here once more, apart from the judgement. */
const budgetOf = (remedy: Remedy, { ladder }: RunSettings): number => {
  if (remedy === "nudge") return ladder.nudges;
  return remedy === "restart" ? ladder.restarts : 1;
};

/** What is counted over all troubles of a step. */
const PER_STEP: ReadonlySet<Remedy> = new Set<Remedy>(["restart", "restore", "helper", "other_agent"]);

interface Climb {
  /** The last rung that was taken or passed over. */
  readonly remedy: Remedy;
  readonly tries: number;
  readonly passed: boolean;
  readonly watched: boolean;
  /** When the last one helped; trouble that comes back soon goes on from there. */
  readonly helpedAt: number | null;
}

interface Place {
  readonly seq: number;
  readonly at: number;
  readonly settings: RunSettings;
}

/** Remedies come one at a time, in their order, none skipped, none beyond its budget, and only for what is stuck. */
export function remediesInOrder(): Watcher {
  const climbs = new Map<string, Climb>();
  const used = new Map<string, number>();
  const health = new Map<string, string>();
  let asked: string | null = null;
  const anew = (step: string): void => {
    climbs.delete(step);
    for (const remedy of REMEDIES) used.delete(`${step} ${remedy}`);
  };
  const taken = (data: EventData<"RemedyTaken">, { seq, at, settings }: Place, say: Say): void => {
    const { step, remedy, attempt } = data;
    const where = `${remedy} at ${String(seq)}`;
    const known = climbs.get(step);
    const isCalm = remedy === "warn" && at - (known?.helpedAt ?? Infinity) >= settings.ladder.calmMs;
    const last = isCalm ? undefined : known;
    if (last?.watched === true) say(`${where} is taken while ${last.remedy} is still watched`);
    if (health.get(attempt) !== "stuck") say(`${where} is taken for ${attempt}, which is not stuck`);
    const usesOf = (of: Remedy, tries: number): number =>
      PER_STEP.has(of) ? (used.get(`${step} ${of}`) ?? 0) : tries;
    orderKept(last, remedy, { where, settings, usesOf }, say);
    const tries = last?.remedy === remedy && !last.passed ? last.tries + 1 : 1;
    used.set(`${step} ${remedy}`, (used.get(`${step} ${remedy}`) ?? 0) + 1);
    if (usesOf(remedy, tries) > budgetOf(remedy, settings)) say(`${where} is beyond its budget`);
    climbs.set(step, { remedy, tries, passed: false, watched: true, helpedAt: null });
  };
  const judged = ({ step, remedy, outcome }: EventData<"RemedyJudged">, at: number): void => {
    const last = climbs.get(step);
    if (outcome === "not_applicable")
      climbs.set(step, { remedy, tries: 0, passed: true, watched: false, helpedAt: null });
    // A person's answer has ended it already.
    else if (last !== undefined)
      climbs.set(step, { ...last, watched: false, helpedAt: isSettled(outcome) ? at : null });
  };
  return {
    see({ event, state }, say) {
      const { type, data, seq, at } = event;
      if (type === "ClockJumped")
        for (const [step, climb] of climbs)
          if (climb.helpedAt !== null) climbs.set(step, { ...climb, helpedAt: climb.helpedAt + data.byMs });
      if (type === "HealthChanged") health.set(data.attempt, data.state);
      if (type === "RemedyTaken") taken(data, { seq, at, settings: state.settings }, say);
      if (type === "RemedyJudged") judged(data, at);
      if (type === "StepReset") anew(data.step);
      if (type === "RunBlocked") asked = data.blocked.reason === "stuck" ? (data.blocked.step ?? null) : null;
      if (type === "RunUnblocked" && asked !== null) anew(asked);
    },
  };
}

interface Order {
  readonly where: string;
  readonly settings: RunSettings;
  readonly usesOf: (remedy: Remedy, tries: number) => number;
}

function orderKept(
  last: Climb | undefined,
  remedy: Remedy,
  { where, settings, usesOf }: Order,
  say: Say,
): void {
  const before = last === undefined ? -1 : REMEDIES.indexOf(last.remedy);
  const now = REMEDIES.indexOf(remedy);
  if (now < before) say(`${where} goes down without progress`);
  if (now > before + 1) say(`${where} skips ${REMEDIES.slice(before + 1, now).join(", ")}`);
  if (last === undefined || last.passed || now !== before + 1) return;
  if (usesOf(last.remedy, last.tries) < budgetOf(last.remedy, settings))
    say(`${where} skips a try of ${last.remedy}`);
}
