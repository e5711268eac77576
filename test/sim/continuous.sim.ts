import assert from "node:assert/strict";
import { test } from "node:test";
import { playSession, SIM_SESSION } from "../../sim/continuous/play-session.ts";
import { DAY_SEED, PLAY_WHOLE, printSample } from "../day-sample.ts";
import { sessionViolations } from "../../sim/continuous/session-violations.ts";

const ALL = 2_000;
const OF_THE_DAY = 40;

test("G14 no random life of a session does a goal twice, leaves one without an end, spends too much or starts what was stopped", async (t) => {
  const count = PLAY_WHOLE ? ALL : OF_THE_DAY;
  const from = PLAY_WHOLE ? 1 : 1 + ((DAY_SEED * OF_THE_DAY) % ALL);
  const bad: string[] = [];
  let deaths = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    const played = await playSession(seed);
    const { found } = await sessionViolations(played.journal, SIM_SESSION, played.goals, played.requestUsd);
    deaths += played.deaths;
    bad.push(...[...played.problems, ...found].map((text) => `seed ${String(seed)}: ${text}`));
  }
  printSample(
    t,
    `${String(count)} of ${String(ALL)} sessions from seed ${String(from)}, ${String(deaths)} deaths`,
  );
  assert.deepEqual(bad, []);
});
