import { jittered } from "../../../src/decide/dispatch/jitter.ts";
import type { Config } from "../../../src/model/settings/config.ts";
import { HOUR, Life, MINUTE, SECOND } from "../life.ts";
import { prove } from "../proof.ts";

/** An agent that says one thing, and then nothing any more: its provider is away. */
function mute(config: Config, ...words: readonly object[]): Life {
  return muted(new Life(config), words);
}

function muted(life: Life, words: readonly object[]): Life {
  for (const until = life.now + 12 * HOUR; life.now < until; life.pass(5 * SECOND))
    for (const attempt of life.live)
      if (life.state.attempts[attempt]?.lastSignalAt === null)
        life.receive(attempt, [{ kind: "ready" }, ...words]);
  return life;
}

const stops = (life: Life): string[] => [
  ...life.all("RunPaused").map(({ stop }) => stop),
  ...life.all("RunBlocked").map(({ blocked }) => blocked.reason),
];
const RESTS = ["stale", "stale", "stuck"];
const ASKS = ["stuck"];

const resumedAfter = (resumeMs: number): number => resumeMs / 2 + jittered(resumeMs / 2, "run_1 0");

export const STALE_PROOFS = [
  prove("stale.pause", [true, false], (config) => stops(mute(config)), [RESTS, ASKS]),
  prove("stale.quietMs", [10 * MINUTE, 6 * HOUR], (config) => stops(mute(config)), [RESTS, ASKS]),
  prove(
    "stale.beyondLimitMs",
    [MINUTE, 6 * HOUR],
    (config) =>
      stops(muted(new Life(config, { steps: [{ name: "work", task: "do it", limitMs: 40 * MINUTE }] }), [])),
    [["stale", "stuck"], ASKS],
  ),
  prove(
    "stale.quietApiMs",
    [MINUTE, 6 * HOUR],
    (config) => stops(mute(config, { kind: "tool_call", name: "model", args: "ask" })),
    [RESTS, ASKS],
    { agents: { dev: { use: "function", module: "dev.ts" } } },
  ),
  prove(
    "stale.resumeMs",
    [10 * MINUTE, 40 * MINUTE],
    (config) => {
      const life = mute(config);
      return (life.at("RunResumed") ?? NaN) - (life.at("RunPaused") ?? NaN);
    },
    [resumedAfter(10 * MINUTE), resumedAfter(40 * MINUTE)],
  ),
  prove("stale.resumes", [0, 1], (config) => mute(config).all("RunResumed").length, [0, 1]),
];
