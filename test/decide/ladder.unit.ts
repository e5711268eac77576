import assert from "node:assert/strict";
import { test } from "node:test";
import { toSignal } from "../../src/agents/to-signal.ts";
import { nextDeadline } from "../../src/decide/deadlines.ts";
import { evolve } from "../../src/decide/evolve.ts";
import { LADDER, nextRemedy, nudgeText, strategyText } from "../../src/decide/ladder.ts";
import type { EventData, EventType, RunEvent } from "../../src/model/events.ts";
import type { AgentSpec } from "../../src/model/flow.ts";
import { PATTERNS } from "../../src/model/health.ts";
import { REMEDIES, type LadderState } from "../../src/model/ladder.ts";
import type { RunState } from "../../src/model/run-state.ts";
import { runSettingsSchema } from "../../src/model/settings.ts";
import { takeTurn } from "../../src/runtime/take-turn.ts";
import { statusView } from "../../src/views/status.ts";
import { EXAMPLES } from "../model/example-events.ts";

const settings = runSettingsSchema.parse({});
const MINUTE = 60_000;

test("R1 the ladder has every remedy once, lightest first", () => {
  assert.deepEqual(
    LADDER.map(({ remedy }) => remedy),
    REMEDIES,
  );
});

test("R1 without progress every rung comes in its order, as often as its budget says, at its time, and then it ends", () => {
  let ladder: LadderState | null = null;
  const used: Record<string, number> = {};
  const climbed: string[] = [];
  let now = 1_000;
  for (
    let next = nextRemedy(null, used, settings, now);
    next !== null;
    next = nextRemedy(ladder, used, settings, now)
  ) {
    assert.ok(climbed.length < 50, "the ladder has no end");
    climbed.push(
      `${next.remedy}.${String(next.tryNumber)} +${String((next.dueAt - (ladder?.takenAt ?? 1_000)) / 1_000)}`,
    );
    used[next.remedy] = (used[next.remedy] ?? 0) + 1;
    now = next.dueAt;
    ladder = {
      pattern: "tool_loop",
      openedAt: 1_000,
      remedy: next.remedy,
      tryNumber: next.tryNumber,
      takenAt: now,
      outcome: "no_help",
    };
  }
  assert.deepEqual(climbed, [
    "warn.1 +0",
    "nudge.1 +30",
    "nudge.2 +60",
    "nudge.3 +120",
    "strategy.1 +60",
    "restart.1 +30",
    "restart.2 +60",
    "restore.1 +60",
    "other_agent.1 +0",
    "operator.1 +0",
    "external.1 +300",
  ]);
});

test("R1 a remedy that cannot be done is left for the next rung, and never tried again", () => {
  const at = (remedy: LadderState["remedy"]): LadderState => ({
    pattern: "tool_loop",
    openedAt: 0,
    remedy,
    tryNumber: 1,
    takenAt: 0,
    outcome: "not_applicable",
  });
  for (const [index, remedy] of REMEDIES.entries())
    assert.equal(nextRemedy(at(remedy), {}, settings, 0)?.remedy, REMEDIES[index + 1]);
});

test("R3 what an agent is told differs by what is wrong and by the try", () => {
  const texts = PATTERNS.flatMap((pattern) => [1, 2, 3].map((nth) => nudgeText(pattern, nth, ["seen"])));
  assert.equal(new Set(texts).size, PATTERNS.length * 3);
  assert.ok(PATTERNS.every((pattern) => strategyText(pattern).length > 40));
});

const only = <Type extends EventType>(events: readonly RunEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map((event) => event.data as EventData<Type>);

/** A run whose agent goes round in circles: it answers each word, and each effect succeeds. */
class Circling {
  readonly state: RunState;
  readonly events: RunEvent[] = [];
  #now = 1_000;
  loops = true;

  constructor(dev: AgentSpec) {
    const data = { ...EXAMPLES.RunCreated, agents: { dev } };
    this.state = evolve(null, { type: "RunCreated", data }, { run: "run_1", seq: 1, at: 0 });
    this.turn([]);
  }

  turn(heard: readonly RunEvent[], now = this.#now): void {
    this.#now = now;
    this.events.push(...takeTurn(this.state, heard, now));
    for (const [key, effect] of Object.entries(this.state.effects)) {
      this.events.push(
        ...takeTurn(this.state, [{ type: "EffectSettled", data: { key, outcome: { kind: "done" } } }], now),
      );
      if (effect.kind === "EndAgent")
        this.hear(effect.attempt, [{ kind: "exit", how: "signal", signal: "SIGTERM" }]);
    }
  }

  hear(attempt: string, signals: readonly unknown[]): void {
    const data = { attempt, cursor: "1", signals: signals.map(toSignal) };
    this.turn([{ type: "SignalsHeard", data }]);
  }

  /** Lets the agent work a while: five seconds for each call. */
  work(until: number): void {
    while (this.#now < until && this.state.status === "running") {
      const [attempt] = Object.keys(this.state.attempts);
      if (attempt !== undefined)
        this.hear(attempt, [
          { kind: "tool_call", name: "bash", args: this.loops ? "ls" : `ls ${String(this.#now)}` },
          {
            kind: "tool_result",
            name: "bash",
            ok: true,
            text: this.loops ? "a" : `news ${"x".repeat(this.#now % 89)}`,
          },
        ]);
      const due = nextDeadline(this.state, this.#now) ?? Infinity;
      this.turn([], Math.min(this.#now + 5_000, Math.max(due, this.#now + 1)));
    }
  }

  get remedies(): string[] {
    return only(this.events, "RemedyTaken").map(({ remedy, tryNumber }) => `${remedy}.${String(tryNumber)}`);
  }
}

test("R1 R2 an agent that cannot be helped is warned, nudged, led another way, restarted twice, and then an operator is asked", () => {
  const run = new Circling({ use: "acp" });
  run.work(40 * MINUTE);
  assert.deepEqual(run.remedies, [
    "warn.1",
    "nudge.1",
    "nudge.2",
    "nudge.3",
    "strategy.1",
    "restart.1",
    "restart.2",
    "operator.1",
  ]);
  assert.deepEqual(
    [run.state.status, run.state.blocked?.reason, run.state.blocked?.attemptKept],
    ["blocked", "stuck", true],
  );
  const told = only(run.events, "EffectIntended").flatMap(({ effect }) =>
    effect.kind === "TellAgent" ? [effect.text] : [],
  );
  assert.equal(new Set(told).size, 4);
  assert.deepEqual(
    only(run.events, "RemedyJudged")
      .filter(({ outcome }) => outcome === "not_applicable")
      .map(({ remedy }) => remedy),
    ["restore", "other_agent"],
  );
  assert.equal(only(run.events, "AttemptStarted").length, 3);
  assert.ok(only(run.events, "AttemptEnded").every(({ charged }) => !charged));
  const starts = only(run.events, "EffectIntended").flatMap(({ effect }) =>
    effect.kind === "StartAgent" ? [effect.task] : [],
  );
  assert.match(starts[1] ?? "", /stuck: you made the same calls again and again/);
});

test("R1 an agent that cannot be told anything is not, and that is written down", () => {
  const run = new Circling({ use: "claude" });
  run.work(10 * MINUTE);
  assert.deepEqual(run.remedies.slice(0, 2), ["warn.1", "restart.1"]);
  const [nudge, strategy] = only(run.events, "RemedyJudged").filter(
    ({ outcome }) => outcome === "not_applicable",
  );
  assert.deepEqual([nudge?.remedy, strategy?.remedy], ["nudge", "strategy"]);
  assert.match(nudge?.why ?? "", /cannot be told/);
});

test("R2 a remedy that helped is recorded, and trouble that comes back begins again below, with its restarts counted", () => {
  const run = new Circling({ use: "acp" });
  run.work(MINUTE);
  assert.deepEqual(run.remedies, ["warn.1", "nudge.1"]);
  run.loops = false;
  run.work(3 * MINUTE);
  assert.equal(only(run.events, "RemedyJudged").at(-1)?.outcome, "helped");
  assert.equal(run.state.steps["work"]?.ladder, null);
  run.loops = true;
  run.work(60 * MINUTE);
  assert.deepEqual(run.remedies.slice(2, 5), ["warn.1", "nudge.1", "nudge.2"]);
  assert.equal(run.remedies.filter((one) => one.startsWith("restart")).length, 2);
});

test("R1 words alone do not lead down the ladder: only progress does", () => {
  const run = new Circling({ use: "acp" });
  run.work(MINUTE);
  const [attempt] = Object.keys(run.state.attempts);
  run.hear(attempt ?? "", [{ kind: "message", from: "agent", text: "You are right, I will do better now." }]);
  assert.notEqual(run.state.steps["work"]?.ladder, null);
});

test("R1 the rung survives a change of the supervisor, and nothing is done twice for it", () => {
  const run = new Circling({ use: "acp" });
  run.work(2 * MINUTE);
  const before = run.remedies;
  run.state.effects = {};
  run.turn([{ type: "RunClaimed", data: { owner: "own_2", epoch: 2, from: "gone" } }]);
  run.turn([
    {
      type: "SessionObserved",
      data: { attempt: Object.keys(run.state.attempts)[0] ?? "", finding: "alive", detail: "" },
    },
  ]);
  assert.deepEqual(run.remedies, before);
  run.work(40 * MINUTE);
  assert.equal(run.remedies.filter((one) => one === "warn.1").length, 1);
  assert.equal(run.state.blocked?.reason, "stuck");
});

test("R1 a person who settles it lets the remedies begin anew", () => {
  const run = new Circling({ use: "acp" });
  run.work(40 * MINUTE);
  run.turn([{ type: "RunUnblocked", data: {} }]);
  assert.deepEqual(
    [run.state.status, run.state.steps["work"]?.ladder, run.state.steps["work"]?.remedies],
    ["running", null, {}],
  );
});

test("R1 status shows how far up it is, what comes next and when", () => {
  const run = new Circling({ use: "acp" });
  run.work(100_000);
  const { health } = statusView(run.state, null);
  assert.match(health.evidence.join("\n"), /remedies: a nudge \(1\).*next: a nudge, not before 1970-/);
});
