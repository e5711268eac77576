import { jittered } from "../../../src/decide/dispatch/jitter.ts";
import type { Config } from "../../../src/model/settings/config.ts";
import { statusView } from "../../../src/views/status/status.ts";
import { HOUR, Life, MINUTE, SECOND } from "../life.ts";
import { prove } from "../proof.ts";

const WORDS = ["bread", "milk", "eggs", "salt", "rice", "oil"];

/** How many attempts a step gets whose agent says that it cannot. */
function attemptsOf(config: Config, why: (nth: number) => string): number {
  const life = new Life(config);
  for (let nth = 0; nth < 10 && life.state.status === "running"; nth += 1)
    life.end(false, why(nth)).pass(10 * SECOND);
  return life.all("AttemptStarted").length;
}

/** The wait before the attempt after so many failures. */
function waitAfter(config: Config, failures: number): number {
  const life = new Life(config);
  for (let nth = 0; nth < failures; nth += 1) life.pass(HOUR / 60).end(false, `no ${WORDS[nth] ?? ""}`);
  return (life.all("StepRetryScheduled").at(-1)?.notBefore ?? 0) - life.now;
}

const FIRST = "run_1.work.1";
const SECOND_SESSION = "run_1.work.2";

const beside = (name: string): object => ({ name, task: "look", authority: "reviews" });

/** The agent has said that it is there, and then time passes. */
const waiting = (config: Config, more: ConstructorParameters<typeof Life>[1] = {}): Life => {
  const life = new Life(config, more);
  for (const attempt of life.live) life.receive(attempt, [{ kind: "ready" }]);
  return life;
};

export const LIMIT_PROOFS = [
  prove(
    "attempts.perStep",
    [1, 3],
    (config) => attemptsOf(config, (nth) => `no ${WORDS[nth] ?? ""}`),
    [1, 3],
  ),
  prove("attempts.sameFailure", [2, 3], (config) => attemptsOf(config, () => "no bread"), [2, 3], {
    attempts: { perStep: 5 },
  }),
  prove(
    "attempts.atOnce",
    [1, 2],
    (config) => {
      const last = { name: "d", task: "write", needs: ["a", "b", "c"] };
      return new Life(config, { steps: [...["a", "b", "c"].map(beside), last] }).live.length;
    },
    [1, 2],
  ),
  prove(
    "attempts.limitMs",
    [10 * SECOND, 20 * SECOND],
    (config) =>
      waiting(config)
        .pass(MINUTE)
        .at("AttemptEnding", ({ to }) => to === "timed_out"),
    [10 * SECOND, 20 * SECOND],
  ),
  prove(
    "time.runMs",
    [MINUTE, undefined],
    (config) => [waiting(config).pass(2 * MINUTE).stands, waiting(config).pass(MINUTE - 1).stands],
    [
      ["blocked: timeout", "running"],
      ["running", "running"],
    ],
  ),
  prove(
    "time.phaseMs",
    [MINUTE, 2 * MINUTE],
    (config) =>
      waiting(config, {
        steps: [{ name: "a", task: "do", phase: "make" }],
        phases: [{ name: "make" }],
      })
        .pass(HOUR)
        .at("RunBlocked"),
    [MINUTE, 2 * MINUTE],
  ),
  prove(
    "time.warnPct",
    [50, 90],
    (config) => {
      const life = waiting(config).pass(MINUTE);
      return statusView(life.state, null, life.now).limits?.map(({ of, pressed }) => [of, pressed]);
    },
    [
      [
        ["run", true],
        ["work#1", false],
      ],
      [
        ["run", false],
        ["work#1", false],
      ],
    ],
    { time: { runMs: 100 * SECOND } },
  ),
  prove("backoff.baseMs", [1_000, 2_000], (config) => waitAfter(config, 1), [
    jittered(1_000, FIRST),
    jittered(2_000, FIRST),
  ]),
  prove(
    "backoff.factor",
    [1, 3],
    (config) => waitAfter(config, 2),
    [jittered(1_000, SECOND_SESSION), jittered(3_000, SECOND_SESSION)],
    { backoff: { baseMs: 1_000 } },
  ),
  prove(
    "backoff.capMs",
    [1_000, 4_000],
    (config) => waitAfter(config, 1),
    [jittered(1_000, FIRST), jittered(4_000, FIRST)],
    { backoff: { baseMs: HOUR } },
  ),
  prove(
    "startup.firstOutputMs",
    [10 * SECOND, 20 * SECOND],
    (config) => new Life(config).pass(MINUTE).at("AttemptEnding", ({ to }) => to === "stalled"),
    [10 * SECOND, 20 * SECOND],
  ),
];
