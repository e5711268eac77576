import type { Config } from "../../../src/model/settings/config.ts";
import type { EffectOutcome } from "../../../src/model/effects/effect-outcome.ts";
import type { Remedy } from "../../../src/model/agent/ladder.ts";
import { HOUR, Life, MINUTE, SECOND } from "../life.ts";
import { prove } from "../proof.ts";

type Wish = ConstructorParameters<typeof Life>[1];

/** Goes on for so long; whenever time has to pass, the agent at work does something first. */
function working(life: Life, ms: number, does: (life: Life) => readonly object[]): Life {
  for (const until = life.now + ms; life.now < until && life.state.status === "running";) {
    life.say(...does(life));
    life.pass(5 * SECOND);
  }
  return life;
}

const IN_CIRCLES = [
  { kind: "tool_call", name: "bash", args: "ls" },
  { kind: "tool_result", name: "bash", ok: true, text: "a" },
];
const getsOn = ({ now }: Life): readonly object[] => [
  { kind: "tool_call", name: "bash", args: `ls ${String(now)}` },
  { kind: "tool_result", name: "bash", ok: true, text: `news ${"x".repeat((now / SECOND) % 89)}` },
];

const circling = (config: Config, ms = HOUR, more: Wish = {}): Life =>
  working(new Life(config, { ...more, answers: { ...ENDS, ...more.answers } }), ms, () => IN_CIRCLES);

/** The same, of an agent whose conversation can be continued. */
const headless = (config: Config): Life =>
  working(new Life(config, { answers: ENDS }), HOUR, () => [
    ...IN_CIRCLES,
    { kind: "conversation", id: "talk" },
  ]);

/** An agent that is asked to end does. */
const ENDS = { EndAgent: (): EffectOutcome => ({ kind: "done" }) };

const takenAt = (life: Life, remedy: Remedy, nth = 1): number | null =>
  life.at("RemedyTaken", (taken) => taken.remedy === remedy, nth);
const timesTaken = (life: Life, remedy: Remedy): number =>
  life.all("RemedyTaken").filter((taken) => taken.remedy === remedy).length;
const gap = (life: Life, from: Remedy, to: Remedy, nth = 1): number =>
  (takenAt(life, to) ?? NaN) - (takenAt(life, from, nth) ?? NaN);

/** Trouble, progress for a while, and trouble again: what is done about the second. */
function comesBack(config: Config): unknown {
  const life = circling(config, 2 * MINUTE);
  working(life, 5 * MINUTE, getsOn);
  const before = life.all("RemedyTaken").length;
  working(life, 3 * MINUTE, () => IN_CIRCLES);
  return life.all("RemedyTaken")[before]?.remedy;
}

export const LADDER_PROOFS = [
  prove("ladder.nudges", [1, 2], (config) => timesTaken(circling(config), "nudge"), [1, 2]),
  prove("ladder.nudgeMs", [10 * SECOND, 20 * SECOND], (config) => gap(circling(config), "warn", "nudge"), [
    10 * SECOND,
    20 * SECOND,
  ]),
  prove("ladder.interrupts", [0, 2], (config) => timesTaken(headless(config), "nudge"), [0, 2], {
    agents: { dev: { use: "claude" } },
  }),
  prove(
    "ladder.strategyMs",
    [MINUTE, 2 * MINUTE],
    (config) => gap(circling(config), "nudge", "strategy"),
    [MINUTE, 2 * MINUTE],
    { ladder: { nudges: 1 } },
  ),
  prove("ladder.restarts", [0, 1], (config) => timesTaken(circling(config), "restart"), [0, 1]),
  prove(
    "ladder.restartMs",
    [10 * SECOND, 20 * SECOND],
    (config) => gap(circling(config), "strategy", "restart"),
    [10 * SECOND, 20 * SECOND],
  ),
  prove(
    "ladder.restartCapMs",
    [10 * SECOND, 20 * SECOND],
    (config) => gap(circling(config), "strategy", "restart"),
    [10 * SECOND, 20 * SECOND],
  ),
  prove(
    "ladder.operatorMs",
    [MINUTE, 2 * MINUTE],
    (config) => gap(circling(config).pass(HOUR), "operator", "external"),
    [MINUTE, 2 * MINUTE],
    {
      notify: {
        channels: { ops: { use: "command", command: ["mail"] } },
        external: ["ops"],
      },
    },
  ),
  prove("ladder.calmMs", [MINUTE, HOUR], comesBack, ["warn", "nudge"]),
  prove(
    "ladder.helper",
    [undefined, "other"],
    (config) => circling(config).all("AttemptStarted").at(-1)?.agent,
    ["dev", "other"],
    { agents: { other: { use: "acp", command: ["other"] } } },
  ),
  prove(
    "ladder.nextAgent",
    [undefined, "other"],
    (config) => circling(config).all("AttemptStarted").at(-1)?.agent,
    ["dev", "other"],
    { agents: { other: { use: "acp", command: ["other"] } } },
  ),
];

const answer = (verdict: "continue" | "restart" | "none"): EffectOutcome => ({
  kind: "done",
  triage: { verdict, why: "seen", usd: 0.02, tokens: 100 },
});

/** An agent that falls silent: only time speaks against it, and another one is asked. */
function asksAnother(config: Config, said: EffectOutcome | null): Life {
  const life = new Life(config, { answers: { ...ENDS, AskTriage: () => said } });
  working(life, 20 * SECOND, getsOn);
  return life.pass(2 * HOUR);
}

const JUDGE = { agents: { judge: { use: "claude" } }, triage: { agent: "judge" } };

export const TRIAGE_PROOFS = [
  prove(
    "triage.agent",
    [undefined, "judge"],
    (config) =>
      asksAnother(config, answer("none"))
        .effects("AskTriage")
        .map(({ agent }) => agent),
    [[], ["judge"]],
    { agents: { judge: { use: "claude" } } },
  ),
  prove(
    "triage.below",
    [0, 0.85],
    (config) => asksAnother(config, answer("none")).effects("AskTriage").length,
    [0, 1],
    JUDGE,
  ),
  prove(
    "triage.trustMs",
    [10 * MINUTE, 20 * MINUTE],
    (config) => {
      const life = asksAnother(config, answer("continue"));
      return (takenAt(life, "nudge") ?? NaN) - (life.at("TriageJudged") ?? NaN);
    },
    [10 * MINUTE, 20 * MINUTE],
    JUDGE,
  ),
  prove(
    "triage.limitMs",
    [5 * MINUTE, 20 * MINUTE],
    // No restart before the answer, or before it is too late for one.
    (config) => {
      const life = asksAnother(config, null);
      return (takenAt(life, "restart") ?? NaN) - (life.effectAt("AskTriage") ?? NaN);
    },
    [6 * MINUTE, 21 * MINUTE],
    JUDGE,
  ),
];
