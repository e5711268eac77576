import { seededChance } from "../../../sim/world/seeded-chance.ts";
import { simulate } from "../../../sim/world/simulate.ts";
import { NO_FAULTS } from "../../../sim/faults/sim-faults.ts";
import { runSettingsSchema } from "../../../src/model/settings/settings.ts";
import { takeTurn } from "../../../src/runtime/take-turn.ts";
import { says } from "../../decide/agent-words.ts";
import { begun, MINUTE, only, started } from "../../decide/budgeted-run.ts";

import { tried, type Attack, type Stage, type Tried } from "../attack.ts";

const RUNS = 50;
const PER_STEP = runSettingsSchema.parse({}).attempts.perStep;
/** All runs together: one start per run and minute. */
const STARTS_PER_MINUTE_MAX = RUNS;

/** The most that fall into one minute. */
const mostPerMinute = (times: readonly number[]): number =>
  Math.max(0, ...times.map((at, from) => times.slice(from).filter((other) => other < at + MINUTE).length));

/** Fifty agents that all misbehave, whose sessions all die at once every few minutes, with nobody there to help. */
async function storm({ count, seed }: Stage): Promise<Tried> {
  const succeeded: string[] = [];
  for (let nth = seed; nth < seed + count; nth += 1) {
    const { journals } = await simulate({
      ...{ seed: nth, runs: RUNS, hosts: 1, stepsMax: 1, journals: true, eventsMax: 1_000_000 },
      ...{ safetyMs: 60 * MINUTE, livenessMs: 1 },
      faults: { ...NO_FAULTS, agentMisbehaves: 1, meanWholeMs: 3 * MINUTE, peopleHelp: 0 },
    });
    const startsOf = journals.map((events) =>
      events.flatMap((event) => (event.type === "AttemptStarted" ? [event.at] : [])),
    );
    const starts = startsOf.flat().sort((a, b) => a - b);
    if (starts.length < RUNS) throw new Error(`only ${String(starts.length)} attempts began: no storm`);
    const most = mostPerMinute(starts);
    const mostOfOne = Math.max(...startsOf.map(mostPerMinute));
    if (mostOfOne > PER_STEP)
      succeeded.push(`seed ${String(nth)}: ${String(mostOfOne)} starts of one run within a minute`);
    if (most > STARTS_PER_MINUTE_MAX)
      succeeded.push(`seed ${String(nth)}: ${String(most)} starts within a minute`);
  }
  return tried(count * RUNS, succeeded);
}

const CAP_USD = 5;

/**
 * An agent that spends as fast as it can, in requests of one size or of any size: what it has spent when its session is
 * ended. The grace is 5 % of the budget or the largest request, and the request that ends it is counted.
 */
async function spend({ count, seed }: Stage): Promise<Tried> {
  const chance = seededChance(seed);
  const succeeded: string[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const sizeUsd = 0.05 + chance() * 2;
    const nextUsd = (): number => (nth % 2 === 0 ? sizeUsd : 0.01 + chance() * sizeUsd);
    const state = begun({ budget: { usd: CAP_USD } });
    const [attempt = ""] = Object.keys(state.attempts);
    takeTurn(state, [started(attempt), says(attempt, { kind: "conversation", id: "c" })], 1_000);
    let [spent, largest, last] = [0, 0, 0];
    for (let turns = 1; turns <= 1_000; turns += 1) {
      last = nextUsd();
      spent += last;
      const events = takeTurn(state, [says(attempt, { kind: "usage", usd: last })], 1_000 + turns);
      if (only(events, "AttemptEnding").length > 0) break;
      largest = Math.max(largest, last);
    }
    const below = CAP_USD + Math.max(largest, last, CAP_USD * 0.05) + last;
    if (spent >= below)
      succeeded.push(
        `$${spent.toFixed(2)} of $${String(CAP_USD)} were spent, $${last.toFixed(2)} at the end`,
      );
  }
  return tried(count, succeeded);
}

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T29", level: "any", promised: "prevented", count: { full: 10, short: 1 } },
    title: "fifty agents misbehave, and their sessions die at once, for an hour of simulated time",
    run: storm,
  },
  {
    ...{ threat: "T29", level: "any", promised: "prevented", count: { full: 500, short: 50 } },
    title: "an agent spends beyond its budget by more than the grace and the request that ends it",
    run: spend,
  },
];
