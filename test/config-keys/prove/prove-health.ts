import type { Config } from "../../../src/model/settings/config.ts";
import { HOUR, Life, MINUTE, SECOND } from "../life.ts";
import { prove } from "../proof.ts";

/** An agent at work that has said these things, and then nothing for a long time. */
function silentAfter(config: Config, ...signals: readonly object[]): Life {
  return new Life(config).say({ kind: "ready" }, ...signals).pass(2 * HOUR);
}

/** What is bad must last two ticks to be called degraded, and three more to be called stuck. */
const DEGRADED_MS = 60 * SECOND;
const STUCK_MS = 90 * SECOND;

const assessedAt = (life: Life, state: "degraded" | "stuck"): number | null =>
  life.at("HealthChanged", (health) => health.state === state);

const USER = { kind: "message", from: "user", text: "go on" };
const call = (args: string, callId = args): object => ({ kind: "tool_call", name: "bash", args, callId });
const result = (text: string, ok = true, callId?: string): object => ({
  kind: "tool_result",
  name: "bash",
  ok,
  text,
  ...(callId === undefined ? {} : { callId }),
});

/** After how many rounds of the same an agent is called stuck, and by which pattern. */
function roundsUntilStuck(config: Config, round: (nth: number) => readonly object[]): unknown {
  const life = new Life(config).say({ kind: "ready" });
  for (let nth = 1; nth <= 40; nth += 1) {
    life.now += SECOND;
    life.say(...round(nth));
    const stuck = life.all("HealthChanged").find(({ state }) => state === "stuck");
    if (stuck !== undefined) return [nth, stuck.pattern];
  }
  return null;
}

const edit = (nth: number): readonly object[] => {
  const args = `sed -i ${nth % 2 === 0 ? "s/a/b/" : "s/b/a/"} file`;
  return [call(args, `c${String(nth)}`), result("", true, `c${String(nth)}`)];
};

/** Stuck, and then well: when that is said. Nothing heavier than a warning is tried meanwhile. */
function recovers(config: Config, state: "degraded" | "healthy", nth: number): number {
  const life = new Life(config).say({ kind: "ready" }, USER).pass(20 * MINUTE);
  const from = life.now;
  life.say({ kind: "message", from: "agent", text: "I was slow and go on now." }).pass(4 * MINUTE);
  return (life.at("HealthChanged", (health) => health.state === state, nth) ?? NaN) - from;
}
const WARNED = { ladder: { nudges: 0, strategyMs: 2 * HOUR, restartMs: 2 * HOUR } };

/** Calls that succeed and bring nothing new, and calls that fail, each in a way of its own. */
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const letters = (nth: number): string => (LETTERS[nth % 26] ?? "").repeat(14);
function failingOften(config: Config, failed: number, ok: number): Life {
  const life = new Life(config).say({ kind: "ready" }, call("ls"), result("a", true, "ls"));
  for (let nth = 0; nth < failed + ok; nth += 1) {
    life.now += 2 * SECOND;
    const isOk = nth >= failed / 2 && nth < failed / 2 + ok;
    const id = `c${String(nth)}`;
    if (isOk) life.say(call("ls", id), result("a", true, id));
    else life.say(call(letters(nth), id), result(`no ${letters(nth + 7)}`, false, id));
  }
  return life.pass(4 * MINUTE);
}
const wasCalled = (life: Life, state: "degraded" | "stuck"): boolean => assessedAt(life, state) !== null;

export const HEALTH_PROOFS = [
  prove("health.badTicks", [1, 2], (config) => assessedAt(silentAfter(config, USER), "degraded"), [
    5 * MINUTE + 30 * SECOND,
    5 * MINUTE + 60 * SECOND,
  ]),
  prove("health.stuckTicks", [1, 3], (config) => assessedAt(silentAfter(config, USER), "stuck"), [
    15 * MINUTE + 30 * SECOND,
    15 * MINUTE + 90 * SECOND,
  ]),
  prove(
    "health.calmTicks",
    [1, 2],
    (config) => recovers(config, "degraded", 2),
    [30 * SECOND, 60 * SECOND],
    WARNED,
  ),
  prove(
    "health.goodTicks",
    [1, 3],
    (config) => recovers(config, "healthy", 1),
    [90 * SECOND, 150 * SECOND],
    WARNED,
  ),
  prove(
    "health.idleMs",
    [MINUTE, 3 * MINUTE],
    (config) => assessedAt(silentAfter(config, call("make")), "degraded"),
    [MINUTE + DEGRADED_MS, 3 * MINUTE + DEGRADED_MS],
  ),
  prove("health.errorDegradedPct", [40, 100], (config) => wasCalled(failingOften(config, 7, 3), "degraded"), [
    true,
    false,
  ]),
  prove("health.errorStuckPct", [50, 100], (config) => wasCalled(failingOften(config, 7, 3), "stuck"), [
    true,
    false,
  ]),
  prove(
    "health.failuresInARow",
    [5, 8],
    (config) =>
      roundsUntilStuck(config, (nth) => [
        call(letters(nth), `c${String(nth)}`),
        result(`no ${letters(nth + 7)}`, false, `c${String(nth)}`),
      ]),
    [
      [5, "error_loop"],
      [8, "error_loop"],
    ],
  ),
  prove(
    "health.errorsInARow",
    [4, 8],
    (config) =>
      roundsUntilStuck(config, (nth) => [{ kind: "error", text: `no ${letters(nth)}`, terminal: false }]),
    [
      [4, "error_loop"],
      [8, "error_loop"],
    ],
  ),
  prove(
    "health.unmarkedFailures",
    [4, 7],
    (config) =>
      roundsUntilStuck(config, (nth) => [
        call(`${letters(nth)} --run`, `c${String(nth)}`),
        result(`bash: ${letters(nth)}: command not found`, true, `c${String(nth)}`),
      ]),
    [
      [4, "error_loop"],
      [7, "error_loop"],
    ],
  ),
  prove(
    "health.callApartMs",
    [2 * MINUTE, 10 * MINUTE],
    (config) => {
      const life = new Life(config).say({ kind: "ready" }, USER);
      for (let nth = 1; nth <= 6; nth += 1) {
        life.pass(4 * MINUTE);
        life.say(call(letters(nth)), result(letters(nth), true, letters(nth)));
      }
      return wasCalled(life.pass(2 * MINUTE), "degraded");
    },
    [true, false],
  ),
  prove(
    "health.sameError",
    [3, 5],
    (config) => roundsUntilStuck(config, () => [{ kind: "error", text: "overloaded", status: 529 }]),
    [
      [3, "error_loop"],
      [5, "error_loop"],
    ],
  ),
  prove(
    "health.blindCalls",
    [3, 5],
    (config) => roundsUntilStuck(config, (nth) => [call("ls", `c${String(nth)}`)]),
    [
      [3, "tool_loop"],
      [5, "tool_loop"],
    ],
  ),
  prove(
    "health.period",
    [2, 8],
    (config) =>
      roundsUntilStuck(config, (nth) => [
        call(`cat ${letters(nth % 3)}`, `c${String(nth)}`),
        result(letters(nth % 3), true, `c${String(nth)}`),
      ]),
    [
      [15, "tool_loop"],
      [9, "tool_loop"],
    ],
  ),
  prove(
    "health.tickMs",
    [SECOND, 10 * SECOND],
    (config) => assessedAt(silentAfter(config), "degraded"),
    // Two ticks after the time that a model has for its answer.
    [5 * MINUTE + 2 * SECOND, 5 * MINUTE + 20 * SECOND],
  ),
  prove(
    "health.silenceMs",
    [4 * MINUTE, 10 * MINUTE],
    (config) => assessedAt(silentAfter(config, call("make")), "stuck"),
    [4 * MINUTE + STUCK_MS, 10 * MINUTE + STUCK_MS],
  ),
  prove(
    "health.turnDegradedMs",
    [MINUTE, 4 * MINUTE],
    (config) => assessedAt(silentAfter(config, USER), "degraded"),
    [MINUTE + DEGRADED_MS, 4 * MINUTE + DEGRADED_MS],
  ),
  prove(
    "health.turnStuckMs",
    [10 * MINUTE, 20 * MINUTE],
    (config) => assessedAt(silentAfter(config, USER), "stuck"),
    [10 * MINUTE + STUCK_MS, 20 * MINUTE + STUCK_MS],
  ),
  prove(
    "health.toolMs",
    [10 * MINUTE, 20 * MINUTE],
    (config) => assessedAt(silentAfter(config, call("ls"), result("a", true, "ls"), call("make")), "stuck"),
    [10 * MINUTE + DEGRADED_MS + STUCK_MS, 20 * MINUTE + DEGRADED_MS + STUCK_MS],
  ),
  prove(
    "health.limitWaitMs",
    [10 * MINUTE, 20 * MINUTE],
    (config) => silentAfter(config, { kind: "rate_limit", text: "slow down" }).at("LimitPassed"),
    [10 * MINUTE, 20 * MINUTE],
  ),
  prove(
    "health.sameFailure",
    [3, 5],
    (config) =>
      roundsUntilStuck(config, (nth) => [
        call("make", `c${String(nth)}`),
        result("no rule", false, `c${String(nth)}`),
      ]),
    [
      [3, "error_loop"],
      [5, "error_loop"],
    ],
  ),
  prove(
    "health.sameCall",
    [2, 4],
    (config) =>
      roundsUntilStuck(config, (nth) => [
        call("ls", `c${String(nth)}`),
        result("a", true, `c${String(nth)}`),
      ]),
    [
      [2, "tool_loop"],
      [4, "tool_loop"],
    ],
  ),
  prove(
    "health.monologue",
    [3, 5],
    (config) =>
      roundsUntilStuck(config, () => [
        { kind: "message", from: "agent", text: "The weather is fine today." },
      ]),
    [
      [3, "monologue"],
      [5, "monologue"],
    ],
  ),
  prove("health.alternation", [6, 8], (config) => roundsUntilStuck(config, edit), [
    [6, "alternation"],
    [8, "alternation"],
  ]),
  prove(
    "health.contextDegradedPct",
    [60, 80],
    (config) => assessedAt(silentAfter(config, { kind: "context", usedPct: 70 }, call("make")), "degraded"),
    // Without a full context it is its silence that counts, later.
    [DEGRADED_MS, 2 * MINUTE + DEGRADED_MS],
  ),
  prove(
    "health.contextStuckPct",
    [88, 99],
    (config) => assessedAt(silentAfter(config, { kind: "context", usedPct: 90 }, call("make")), "stuck"),
    [DEGRADED_MS + STUCK_MS, 5 * MINUTE + STUCK_MS],
  ),
];
