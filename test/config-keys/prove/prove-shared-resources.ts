import { jittered } from "../../../src/decide/dispatch/jitter.ts";
import type { Config } from "../../../src/model/settings/config.ts";
import { SharedResourceFacts } from "../../decide/shared-resource-facts.ts";
import { HOUR, Life, MINUTE, REPOSITORY, SECOND } from "../life.ts";
import { prove } from "../proof.ts";
import { evidence } from "../default-outcome.ts";

const ACCOUNT = "account:shared";
const HOST = "host:alpha";
const SHARED = { agents: { dev: { use: "acp", command: ["dev"], account: "shared" } } };

const LIMIT = [
  { kind: "rate_limit", text: "Rate limit exceeded" },
  { kind: "error", text: "Rate limit exceeded", terminal: false, status: 429 },
];
const EXIT = { kind: "exit", how: "code", code: 1 };
const OUTAGE = [{ kind: "error", text: "overloaded", terminal: false, status: 529 }, EXIT];
const KILLED = { kind: "exit", how: "signal", signal: "SIGKILL" };
const PROGRESS = { kind: "progress", text: "got on" };

/** Attempt after attempt meets a limit of the provider and ends; how many there are before a person is asked. */
function limitsWaitedFor(config: Config): number {
  const life = new Life(config);
  for (let nth = 0; nth < 30 && life.state.status === "running"; nth += 1)
    life.say(...LIMIT, EXIT).untilBegun();
  return life.all("AttemptStarted").length;
}

/** One session that lives meets limit after limit. */
function limitsMetLive(config: Config): number {
  const life = new Life(config);
  let met = 0;
  while (met < 10 && life.at("AttemptEnding") === null) {
    life.say(LIMIT[0] ?? {});
    met += 1;
    life.pass(6 * MINUTE);
    life.say(PROGRESS);
  }
  return met;
}

/** Two runs on one account: the first meets a limit and has to show that it is over. When the second begins again. */
function secondBegins(config: Config): number {
  const resources = new SharedResourceFacts();
  const first = new Life(config, { run: "run_1", grounds: resources });
  const second = new Life(config, { run: "run_2", grounds: resources });
  first.say(...LIMIT, EXIT);
  second.learnOf(ACCOUNT);
  second.end(false, "no bread").untilBegun();
  return second.now;
}
const OVER_AT = 5 * MINUTE;

/** How long an account is held for when a limit is met, and again a little after that was over. */
function pauses(config: Config): number[] {
  const life = new Life(config)
    .say(...LIMIT, EXIT)
    .untilBegun()
    .pass(MINUTE);
  return held(life.say(...LIMIT, EXIT));
}

const held = (life: Life): number[] => {
  const seen = life.log.flatMap(({ event }) =>
    event.type === "EffectSettled" &&
    event.data.outcome.kind === "done" &&
    event.data.outcome.news !== undefined
      ? [event.data.outcome.news.pause]
      : [],
  );
  return seen.flatMap((pause) => (pause === null ? [] : [pause.until - pause.since]));
};

/** Attempts whose provider fails, one after the other, until the account is held. */
function failuresUntilHeld(config: Config): unknown {
  const life = new Life(config);
  for (let nth = 1; nth <= 10; nth += 1) {
    life.say(...OUTAGE);
    const [span] = held(life);
    if (span !== undefined) return [nth, span];
    life.untilBegun();
  }
  return null;
}

/** An account that was held because its provider failed: how often it must work before it is open to all. */
function successesUntilOpen(config: Config): number {
  const life = new Life(config);
  life.say(...OUTAGE);
  for (let nth = 1; nth <= 5; nth += 1) {
    life.untilBegun().pass(SECOND).say(PROGRESS);
    if (life.state.sharedResources[ACCOUNT]?.news.pause?.reopenedAt !== null) return nth;
    life.crash();
  }
  return 0;
}

/** Crashes at these times, and what is done about them. */
function crashing(config: Config, ...times: readonly number[]): Life {
  const life = new Life(config);
  for (const at of times) {
    life.pass(Math.max(0, at - life.now));
    life.crash();
  }
  return life;
}
const EACH = [0, 30 * SECOND, 60 * SECOND, 90 * SECOND];
const MANY = { attempts: { perStep: 10, sameFailure: 10 } };
const CALM = { ...MANY, crashes: { count: 10 } };

/** Sessions of several runs that are killed, so many seconds apart: when their host is suspected, and for how long. */
function deaths(config: Config, apartMs: number): unknown {
  const resources = new SharedResourceFacts();
  for (let nth = 1; nth <= 8; nth += 1) {
    const life = new Life(config, { run: `run_${String(nth)}`, grounds: resources });
    life.turn([], nth * apartMs);
    life.say(KILLED);
    const pause = resources.of(HOST).pause;
    if (pause !== null) return [nth, pause.until - pause.since];
  }
  return null;
}

/** Runs that suffer from one cause, so long apart: how many make it one incident. */
function suffering(config: Config, apartMs: number): number | null {
  const resources = new SharedResourceFacts();
  for (let nth = 1; nth <= 6; nth += 1) {
    const life = new Life(config, { run: `run_${String(nth)}`, grounds: resources });
    life.turn([], nth * apartMs);
    life.say(...OUTAGE);
    if (resources.of(ACCOUNT).incident !== null) return nth;
  }
  return null;
}

/** A repository in which no place for work can be made ready. */
const brokenPlace = (config: Config): Life =>
  new Life(config, {
    cwd: REPOSITORY,
    answers: {
      RunInTree: () => ({ kind: "done", place: { kind: "ran", evidence: evidence("fail", "no lock file") } }),
    },
  }).pass(12 * HOUR);
const BROKEN = { incidents: { runs: 1 }, workspace: { setup: "npm ci" } };

const place = (band: number, staggerMs: number): number =>
  Math.round((staggerMs / 3) * band + jittered(staggerMs / 3, "run_2/1"));

export const GROUND_PROOFS = [
  prove("cooldown.resume", [true, false], (config) => new Life(config).say(...LIMIT, EXIT).stands, [
    "running",
    "blocked: rate_limited",
  ]),
  prove("cooldown.waits", [2, 4], limitsWaitedFor, [3, 5]),
  prove("cooldown.restartAfter", [2, 3], limitsMetLive, [2, 3]),
  prove(
    "cooldown.decayMs",
    [30 * SECOND, HOUR],
    pauses,
    [
      [5 * MINUTE, 5 * MINUTE],
      [5 * MINUTE, 2.5 * MINUTE],
    ],
    SHARED,
  ),
  prove(
    "cooldown.probeMs",
    [MINUTE, 10 * MINUTE],
    (config) => secondBegins(config),
    [OVER_AT + MINUTE + place(1, 30 * SECOND), OVER_AT + 10 * MINUTE + place(1, 30 * SECOND)],
    SHARED,
  ),
  prove(
    "cooldown.staggerMs",
    [3 * SECOND, 300 * SECOND],
    (config) => secondBegins(config),
    [OVER_AT + MINUTE + place(1, 3 * SECOND), OVER_AT + MINUTE + place(1, 300 * SECOND)],
    SHARED,
  ),
  prove(
    "cooldown.priority",
    [5, -5],
    (config) => secondBegins(config),
    [OVER_AT + MINUTE + place(0, 30 * SECOND), OVER_AT + MINUTE + place(2, 30 * SECOND)],
    SHARED,
  ),
  prove(
    "cooldown.failures",
    [2, 3],
    failuresUntilHeld,
    [
      [2, 5 * MINUTE],
      [3, 5 * MINUTE],
    ],
    { ...SHARED, ...MANY },
  ),
  prove(
    "cooldown.openMs",
    [MINUTE, 7 * MINUTE],
    failuresUntilHeld,
    [
      [2, MINUTE],
      [2, 7 * MINUTE],
    ],
    { ...SHARED, ...MANY, cooldown: { failures: 2 } },
  ),
  prove("cooldown.successes", [1, 2], successesUntilOpen, [1, 2], {
    ...SHARED,
    ...MANY,
    cooldown: { failures: 1 },
  }),
  prove(
    "crashes.count",
    [2, 3],
    (config) => crashing(config, ...EACH).all("CrashGuardTripped")[0]?.crashes,
    [2, 3],
    MANY,
  ),
  prove(
    "crashes.windowMs",
    [10 * SECOND, MINUTE],
    (config) => crashing(config, ...EACH).all("CrashGuardTripped").length,
    [0, 1],
    { ...MANY, crashes: { count: 3 } },
  ),
  prove(
    "crashes.pauseMs",
    [MINUTE, 5 * MINUTE],
    (config) => {
      const life = crashing(config, 10 * SECOND, 20 * SECOND).untilBegun();
      return life.now - 20 * SECOND;
    },
    [MINUTE, 5 * MINUTE],
    { ...MANY, crashes: { count: 2 }, backoff: { baseMs: 1 } },
  ),
  prove(
    "crashes.perRun",
    [2, 4],
    (config) => crashing(config, ...EACH).all("AttemptEnded").length,
    [2, 4],
    CALM,
  ),
  prove(
    "crashes.perRunMs",
    [10 * SECOND, HOUR],
    (config) => crashing(config, ...EACH).stands,
    ["running", "blocked: crash_loop"],
    { ...MANY, crashes: { count: 10, perRun: 3 } },
  ),
  prove("crashes.deaths", [3, 5], (config) => deaths(config, SECOND), [
    [3, 2 * MINUTE],
    [5, 2 * MINUTE],
  ]),
  prove(
    "crashes.deathsMs",
    [5 * SECOND, MINUTE],
    (config) => deaths(config, 10 * SECOND),
    [null, [3, 2 * MINUTE]],
    { crashes: { deaths: 3 } },
  ),
  prove("crashes.hostPauseMs", [MINUTE, 3 * MINUTE], (config) => deaths(config, SECOND), [
    [5, MINUTE],
    [5, 3 * MINUTE],
  ]),
  prove("incidents.runs", [2, 3], (config) => suffering(config, SECOND), [2, 3], SHARED),
  prove("incidents.windowMs", [MINUTE, HOUR], (config) => suffering(config, 5 * MINUTE), [null, 3], SHARED),
  prove(
    "incidents.pauseMs",
    [MINUTE, 3 * MINUTE],
    (config) => {
      const life = brokenPlace(config);
      return (life.effectAt("RunInTree", 2) ?? NaN) - (life.effectAt("RunInTree") ?? NaN);
    },
    [MINUTE, 3 * MINUTE],
    BROKEN,
  ),
  prove(
    "incidents.pauses",
    [1, 3],
    (config) => brokenPlace(config).effects("RunInTree").length,
    [2, 4],
    BROKEN,
  ),
];
