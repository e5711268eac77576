import { evolveContinuous, newContinuous } from "../../src/decide/continuous/evolve-continuous.ts";
import { lastWordIn } from "../../src/decide/continuous/plan-answer.ts";
import { planAnswerSchema } from "../../src/model/continuous/plan-answer.ts";
import { answerIn } from "../../src/model/text/answer-in.ts";
import { queuedGoals } from "../../src/decide/continuous/goal-runs.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { continuousAddress, type Goal } from "../../src/model/continuous/continuous-spec.ts";
import type { ContinuousState } from "../../src/model/continuous/continuous-state.ts";
import type { Recorded } from "../../src/model/events/events.ts";
import { loadRun } from "../../src/runtime/load-run.ts";

const EVENTS_MAX = 100_000;

/** What is wrong with what a session has left in its store, in words; nothing where all is well. */
export async function sessionViolations(
  journal: Journal,
  name: string,
  goals: readonly Goal[],
  requestUsd = REQUEST_USD,
): Promise<{ readonly state: ContinuousState; readonly found: string[] }> {
  const events = await journal.read(continuousAddress(name), { after: 0, limit: EVENTS_MAX });
  const { state, found } = replayed(name, events);
  const issued = events.flatMap(({ type, data }) => (type === "GoalIssued" ? [data.run] : []));
  const runs = (await journal.runs()).map(({ run }) => run);
  return {
    state,
    found: [
      ...found,
      ...wrong("begun", count(events, "ContinuousBegun"), 1),
      ...wrong("ended", count(events, "ContinuousEnded"), 1),
      ...wrong(
        "goals",
        Object.keys(state.goals).sort(),
        [...goals.map(({ id }) => id), ...planned(events)].sort(),
      ),
      ...(await plannedOnce(journal, events)),
      ...wrong(
        "runs of nobody",
        runs.filter((run) => !issued.includes(run)),
        [],
      ),
      ...wrong("never created", neverCreated(state, runs), []),
      ...wrong("issued twice", issued.length, new Set(issued).size),
      ...leftBehind(state),
      ...(await doneOnce(journal, state)),
      ...(await overspent(journal, state, requestUsd)),
      ...wrong("damage", await journal.verify(), []),
    ],
  };
}

/** Order, stops and ends, by folding the journal again. */
function replayed(name: string, events: readonly Recorded[]): { state: ContinuousState; found: string[] } {
  const state = newContinuous(name);
  const found: string[] = [];
  for (const event of events) {
    if (event.type === "GoalIssued") {
      const next = queuedGoals(state).find(({ notBefore }) => notBefore <= event.at);
      found.push(...wrong(`issued at ${String(event.seq)}`, event.data.goal, next?.goal.id));
      if (state.stop !== null || state.pause !== null || state.end !== null)
        found.push(`${event.data.goal} is issued while the session may not start anything`);
    }
    if (event.type === "GoalEnded" && state.goals[event.data.goal]?.end !== null)
      found.push(`${event.data.goal} ends twice`);
    evolveContinuous(state, event, event);
  }
  return { state, found };
}

/** What planners were asked, and what they named. */
const planned = (events: readonly Recorded[]): string[] =>
  events.flatMap(({ type, data }) =>
    type === "PlanWanted" ? [data.goal] : type === "PlanAnswered" ? data.goals.map(({ id }) => id) : [],
  );

/** No planner is asked twice about the same, each answer is taken once, and nothing but what was said is a goal. */
async function plannedOnce(journal: Journal, events: readonly Recorded[]): Promise<string[]> {
  const found: string[] = [];
  let last: string | null = null;
  for (const { type, data } of events) {
    if (type === "PlanWanted") {
      if (data.evidence === last) found.push(`${data.goal} asks again without new evidence`);
      last = data.evidence;
    }
    if (type !== "PlanAnswered") continue;
    const said = lastWordIn(await journal.read(data.run, { after: 0, limit: EVENTS_MAX }));
    const words = data.goals.map(({ goal }) => goal);
    const answer = planAnswerSchema.safeParse(answerIn(said));
    found.push(
      ...wrong(
        `planned by ${data.run}`,
        words,
        answer.data?.goals.map(({ goal }) => goal),
      ),
    );
    for (const goal of data.goals)
      if (goal.agent !== undefined || goal.flow !== undefined) found.push(`${goal.id} names who works it`);
  }
  const answered = events.flatMap(({ type, data }) => (type === "PlanAnswered" ? [data.goal] : []));
  return [...found, ...wrong("answered twice", answered.length, new Set(answered).size)];
}

/** Every goal is over by name, or named as left. */
function leftBehind({ goals, end }: ContinuousState): string[] {
  const open = Object.values(goals).flatMap(({ goal, status }) => (status === "ended" ? [] : [goal.id]));
  const named = end?.left ?? [];
  const isWhole = end?.kind === "completed" || end?.kind === "idle";
  return [
    ...wrong("left", [...named].sort(), [...open].sort()),
    ...(isWhole ? wrong("open at the end", open, []) : []),
  ];
}

/** Of a goal that was left out the run may never have been made. */
const neverCreated = ({ goals }: ContinuousState, found: readonly string[]): string[] =>
  Object.values(goals).flatMap(({ runs, end }) =>
    end?.kind === "skipped" ? [] : runs.map(({ run }) => run).filter((run) => !found.includes(run)),
  );

/** A goal that is done has exactly one run that was completed; any other has none, unless a person was too late. */
async function doneOnce(journal: Journal, { goals }: ContinuousState): Promise<string[]> {
  const found: string[] = [];
  for (const { goal, runs, end, isPlan } of Object.values(goals)) {
    // A planner whose answer is of no use has completed its run all the same.
    if (end?.kind === "skipped" || (isPlan && end?.kind === "failed")) continue;
    let completed = 0;
    for (const { run } of runs)
      completed += count(await journal.read(run, { after: 0, limit: EVENTS_MAX }), "RunCompleted");
    found.push(
      ...wrong(`${goal.id} (${end?.kind ?? "open"}) completed`, completed, end?.kind === "done" ? 1 : 0),
    );
  }
  return found;
}

const GRACE = 1.05;
/** The most that one request of a scripted agent uses. */
const REQUEST_USD = 1;

/** By what the runs themselves record: no more than the budget and the grace of each run that was at work at its end. */
async function overspent(
  journal: Journal,
  { goals, spec }: ContinuousState,
  requestUsd: number,
): Promise<string[]> {
  const limit = spec?.budget.usd;
  if (limit === undefined) return [];
  let usd = 0;
  for (const { runs } of Object.values(goals))
    for (const { run } of runs) usd += (await loadRun(journal, run))?.spent.usd ?? 0;
  const most = limit * GRACE + requestUsd * (spec?.concurrency ?? 1);
  return usd <= most ? [] : [`$${usd.toFixed(2)} of $${limit.toFixed(2)} are spent`];
}

const count = (events: readonly Recorded[], wanted: Recorded["type"]): number =>
  events.filter(({ type }) => type === wanted).length;

const wrong = (what: string, found: unknown, wanted: unknown): string[] =>
  JSON.stringify(found) === JSON.stringify(wanted)
    ? []
    : [`${what}: ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`];
