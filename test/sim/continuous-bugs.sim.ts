import assert from "node:assert/strict";
import { decideContinuous } from "../../src/decide/continuous/decide-continuous.ts";
import { queuedGoals } from "../../src/decide/continuous/goal-runs.ts";
import type { RunEvent } from "../../src/model/events/events.ts";
import { playSession, SIM_SESSION } from "../../sim/continuous/play-session.ts";
import { sessionViolations } from "../../sim/continuous/session-violations.ts";
import { takesTurns } from "../turns.ts";

const { test } = takesTurns(5);

type Judge = typeof decideContinuous;

const SEEDS_MAX = 120;

/** Bugs that somebody might write, each with what is to be said of it. */
const BUGS: Readonly<Record<string, { readonly judge: Judge; readonly found: RegExp }>> = {
  "the last goal goes first": {
    judge: (state, facts) => {
      const events = decideContinuous(state, facts);
      const last = queuedGoals(state)
        .filter(({ notBefore }) => notBefore <= facts.now)
        .at(-1)?.goal.id;
      return events.map((event): RunEvent =>
        event.type === "GoalIssued" && last !== undefined
          ? {
              ...event,
              data: { ...event.data, goal: last, run: `${state.name}.${last}.${String(state.seq)}` },
            }
          : event,
      );
    },
    found: /issued at/,
  },
  "a stop is forgotten": {
    judge: (state, facts) => decideContinuous({ ...state, stop: null }, facts),
    found: /is issued while the session may not start anything/,
  },
  "the budget is not looked at": {
    judge: (state, facts) =>
      decideContinuous(
        state.spec === null ? state : { ...state, spec: { ...state.spec, budget: {} } },
        facts,
      ),
    found: /are spent/,
  },
  "a goal that is done is issued again": {
    judge: (state, facts) => {
      const [event] = decideContinuous(state, facts);
      if (event?.type !== "GoalEnded" || event.data.end !== "done" || facts.now % 3 !== 0)
        return decideContinuous(state, facts);
      const goal = state.goals[event.data.goal];
      const run = goal?.runs.at(-1)?.run;
      if (goal === undefined || run === undefined || goal.isPlan || goal.runs.length > 1)
        return decideContinuous(state, facts);
      const ghost = { fingerprint: "x", text: "x", attempts: 1 };
      return [{ type: "GoalReturned", data: { goal: goal.goal.id, run, ghost, notBefore: 0 } }];
    },
    found: /completed: 2, expected 1/,
  },
  "the session ends before its goals do": {
    judge: (state, facts) => {
      const events = decideContinuous(state, facts);
      return events.length === 0 && queuedGoals(state).length > 0
        ? [{ type: "ContinuousEnded", data: { end: "completed", text: "over", left: [] } }]
        : events;
    },
    found: /left: \[\], expected/,
  },
  "a planner is asked again about the same": {
    judge: (state, facts) => decideContinuous({ ...state, plan: { ...state.plan, evidence: null } }, facts),
    found: /asks again without new evidence|no end after|does not come to an end/,
  },
  "the digest of a day is made again": {
    judge: (state, facts) =>
      decideContinuous(
        facts.now % 2 === 0 ? { ...state, digest: { ...state.digest, day: "2000-01-01" } } : state,
        facts,
      ),
    found: /is queued twice|does not come to an end/,
  },
  "goals are made of thin air": {
    judge: (state, facts) =>
      decideContinuous(state, facts).map((event): RunEvent =>
        event.type === "PlanAnswered"
          ? { ...event, data: { ...event.data, goals: [{ id: "extra", goal: "more", priority: 0 }] } }
          : event,
      ),
    found: /planned by/,
  },
};

for (const [name, { judge, found }] of Object.entries(BUGS))
  test(`G14 the checkers of sessions find a planted bug: ${name}`, async () => {
    for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
      const played = await playSession(seed, judge);
      const checked = await sessionViolations(played.journal, SIM_SESSION, played.goals, played.requestUsd);
      const all = [...played.problems, ...checked.found];
      if (all.some((text) => found.test(text))) return;
    }
    assert.fail(`no seed up to ${String(SEEDS_MAX)} shows it`);
  });
