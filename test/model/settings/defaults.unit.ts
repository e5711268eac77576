import assert from "node:assert/strict";
import { test } from "node:test";
import { configSchema } from "../../../src/model/settings/config.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** What is shipped, by key of the configuration. That each key changes what happens is proved in test/config-keys. */
const SHIPPED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  attempts: { perStep: 3, sameFailure: 2, atOnce: 4 },
  suspend: { turnMs: MINUTE, waitMs: 30 * MINUTE },
  backoff: { baseMs: 2 * SECOND, factor: 2.5, capMs: 8 * SECOND },
  startup: { firstOutputMs: 180 * SECOND, termGraceMs: 10 * SECOND },
  health: {
    tickMs: 30 * SECOND,
    badTicks: 2,
    stuckTicks: 3,
    calmTicks: 2,
    goodTicks: 3,
    errorDegradedPct: 30,
    errorStuckPct: 50,
    failuresInARow: 5,
    contextDegradedPct: 85,
    contextStuckPct: 95,
    silenceMs: 300 * SECOND,
    turnDegradedMs: 300 * SECOND,
    turnStuckMs: 900 * SECOND,
    toolMs: HOUR,
    limitWaitMs: 300 * SECOND,
    sameFailure: 3,
    sameCall: 4,
    blindCalls: 5,
    period: 8,
    monologue: 3,
    alternation: 6,
  },
  ladder: {
    nudges: 3,
    nudgeMs: 30 * SECOND,
    strategyMs: MINUTE,
    restarts: 2,
    restartMs: 30 * SECOND,
    restartCapMs: 300 * SECOND,
    operatorMs: 300 * SECOND,
  },
  cooldown: { restartAfter: 4, failures: 5, openMs: 300 * SECOND, successes: 2 },
  crashes: { count: 3, windowMs: 120 * SECOND, pauseMs: 120 * SECOND, perRun: 10 },
  stale: {
    quietMs: 10 * MINUTE,
    quietApiMs: 5 * MINUTE,
    beyondLimitMs: MINUTE,
    resumeMs: 20 * MINUTE,
    resumes: 2,
  },
  triage: { limitMs: 120 * SECOND },
  checks: { tries: 3 },
  plan: { replans: 2 },
  progress: { turns: 3 },
  gates: { actionMs: 15 * MINUTE },
  notify: { remindMs: 24 * HOUR },
  conflict: { times: 3, overlapPct: 50 },
  checkpoints: { everyMs: 10 * MINUTE, keep: 5 },
  protected: { everyMs: 300 * SECOND },
  time: { warnPct: 80 },
  limits: { runsAtOnce: 8 },
  lease: { ms: 30 * SECOND },
  watchdog: { lookMs: MINUTE, silentMs: 600 * SECOND, graceMs: 30 * SECOND, checkMs: 300 * SECOND },
};

test("P4 L1 R1 B1 the shipped numbers are keys of the configuration, with these values", () => {
  const shipped = configSchema.parse({}) as unknown as Readonly<Record<string, Record<string, unknown>>>;
  for (const [section, values] of Object.entries(SHIPPED)) {
    const found = Object.keys(values).map((key) => [key, shipped[section]?.[key]]);
    assert.deepEqual(Object.fromEntries(found), values, section);
  }
});
